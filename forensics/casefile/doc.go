// Package casefile is the case of a forensic examination: one SQLite file that
// holds evidence, an index of its events, and what was found in it. Schema
// returns the tables with their comments, and so does ".schema" of any SQLite
// tool.
//
// # What a case holds
//
// Sources are known by the SHA-256 of their bytes; the same content under two
// names is one source. Every event of an audit log (SPEC 4) has a row under its
// log and sequence, and every arrival of it a place: source, way through
// archives, offset. The event's own bytes are in the case, so that it is
// complete without its sources: salt and data in a compressed block, and
// everything else in the columns of the row, of which its one canonical form is
// put together again. A second copy of a sequence that differs in any byte is kept
// beside the first.
//
// Nothing here judges an event. What could not be read as one is kept as a
// skip, with its place and its first bytes.
//
// # What it depends on
//
// The order in which evidence arrives decides the numbers of rows, and nothing
// that a reader is given: copies of a sequence come in the order of their
// digests, sources in that of theirs, places in that of source, container and
// record. A case that was filled in another order, or in several goes, reads
// alike.
//
// # Who is believed
//
// A case can come from anyone. Its schema must be ours (guard.go); its evidence
// is checked (check.go) unless the user's key vouches for every page of it
// (pages.go, standing.go); and what is remembered counts only under that key
// (key.go). Nothing that the key decides can be seen in an answer, but for the
// walks that it vouches for.
//
// # Writing
//
// One Writer works at a time; a lock file beside the case sees to it. How far a
// source has come is committed together with its rows, so that a process may be
// killed at any moment. Readers see what was committed.
//
// SQLite's own format, connections and statements are in package sqlite below this
// one, which knows nothing of events.
package casefile
