// Package ingest adds evidence to a case.
//
// It goes through files, directories and standard input, finds records with package read,
// scans each record as an event, and gives the results to package store in chunks.
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
// [Explain] goes the same way without a case, and explains the content of each file.
//
// # Input files
//
// Only regular files are read, up to the size that they had when they were opened.
// They are opened for reading only. Everything else below a directory is recorded
// in the case as not read, with the reason: devices, pipes, files that cannot be
// opened, symbolic links (without effect if the target is given as well), and other
// cases. One bad file never stops the rest.
//
// # Volumes
//
// Files of one folder that are named as volumes of a split file are read as one source if
// their content proves that they are: x.001, x.002 …; xaa, xab …; x00, x01 …; x.part1, x.part2
// …; x.z01 … x.zip. Names alone join nothing. A line across a cut proves it if it is an event
// whose hash holds, or a JSON value. Binary files, and one long value, are read as a trial:
// the volumes have to decode to their end together, or to hold more events than each by
// itself. That needs up to four readings of the set. Volumes that prove nothing are read one
// by one; the case notes this, unless each is whole.
//
// # Live files
//
// A log that is still written can be given again and again. If the file at a path begins with
// the bytes that were read there before, or at the path that it had before it was rotated, it
// replaces that source: no event counts twice, and half a last line does not stay as a
// finding. This is the only case in which names matter. A file that grows, is cut, renamed or
// replaced while it is read is named.
package ingest
