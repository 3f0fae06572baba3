// Package casefile keeps the evidence of a forensic examination in one SQLite file.
//
// The file also has an index of the events and the results of earlier commands. Its
// tables are documented in their schema (schema/*.sql), which ".schema" of any
// SQLite tool shows.
//
// # Contents
//
// The SHA-256 of its bytes identifies a source: the same content under two names is
// one source. Every event of an audit log (SPEC 4) has a row under its log and
// sequence. Every arrival of the event has a place: source, way through archives,
// offset. A case needs none of its sources: it has salt and data of each event in a
// compressed block, and builds the canonical line from these and from the columns
// of the row. Further copies of a sequence that differ in any byte are kept as
// variants.
//
// The package does not judge events. Spans that could not be read as an event are
// kept as skips, with their place and their first bytes.
//
// # The way of an event
//
// An event has these types on its way through a case. Each exists for a reason:
//
//   - read.Record, from a reader, borrows the reader's memory until the next one.
//   - [Arrival] is the same in a chunk, where many wait for a worker. The worker
//     reads its body into an event.Line, whose texts are parts of the body.
//   - row adds the numbers that the dictionaries have for the texts.
//   - [Event] is one row of the index as it is read again: an event.Header, and what
//     the case knows of the copy. Readers that pass over many get the same one again.
//   - walk.Event has the same header. The walk does not import this package, so that
//     it can be tested without a case.
//
// # Order
//
// The order in which evidence arrives decides the numbers of rows and nothing else:
// copies of a sequence are read in the order of their digests, sources in that of
// theirs, and places in that of source, container and record. So a case that was
// filled in another order, or in several runs, gives the same answers.
//
// # Trust
//
// A case can come from an attacker. Its schema must be the one that this package
// makes (package guard). Its evidence is checked (check.go), unless the user's key vouches
// for every page of it (evidence.go, standing.go). Results of earlier commands count
// only under that key (key.go). The key changes no answer, except for the walks that
// it vouches for.
//
// # Writing
//
// One [Writer] works at a time, which a lock file beside the case ensures. The
// progress in a source is committed together with its rows, so a process may be
// killed at any moment. Readers see what was committed.
//
// # Columns
//
// columns.go names the columns of events, and no other file knows one by its number.
// Package internal/sqlite knows SQLite's format and nothing of events.
package casefile
