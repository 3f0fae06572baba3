// Package ingest fills a case: it goes through files, directories and standard
// input, has package read find the records in them, scans each record as an
// event and hands the result to package store.
//
// # What stays the same
//
// The content of a case depends on the content of the evidence and on nothing
// else: not on the order of the files, their names, the number of workers, or
// how often the work was interrupted. One source is read by one reader; what it
// reports is cut into chunks, scanned by several workers, and added in the
// order in which it was read. With each chunk the case notes how many reports
// it holds of the source. After an interruption the source is read again from
// its start, shown to begin with the same bytes, and that many reports are
// passed over.
//
// What a case says of its sources is believed only if the user's key vouches for
// it. Else a source that is there already is read again, and so is one that was
// read in another way: the new reading replaces the old one, whose rows are
// removed at the end.
//
// # What is read
//
// Regular files only, opened for reading only, up to the size that they had
// when they were opened. Everything else below a directory is noted in the
// case as not read, with the reason: links, devices, pipes, what cannot be
// opened, and SQLite files, which nobody can open without changing them or
// missing what lies beside them. One bad file never stops the rest.
package ingest
