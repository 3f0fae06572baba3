// Package ingest adds evidence to a case.
//
// It goes through files, directories and standard input, finds records with package
// read, scans each record as an event, and gives the results to package casefile.
//
// # What stays the same
//
// The content of a case depends only on the content of the evidence: not on the
// order of the files, their names, the number of workers, or interruptions. One
// reader reads a source. Its reports are cut into chunks, scanned by several
// workers, and added in the order in which they were read. With each chunk the case
// records how many reports of the source it has. After an interruption the source
// is read again from its start, its beginning is compared, and that many reports
// are passed over.
//
// The records of a case about its sources are believed only if the user's key
// vouches for them. Otherwise a known source is read again, and so is one that was
// read with other options. The new reading replaces the old one, whose rows are
// removed at the end.
//
// # What is read
//
// Only regular files are read, up to the size that they had when they were opened.
// They are opened for reading only. Everything else below a directory is recorded
// in the case as not read, with the reason: links, devices, pipes, files that cannot
// be opened, and SQLite files, which cannot be opened without changing them or
// missing the files beside them. One bad file never stops the rest.
package ingest
