// Package crosscheck compares the sources in a case with each other.
//
// It compares bundles with the journals of the nodes that signed their statements,
// the journals with the tenant log, and one store of copies with another.
//
// # What counts as a statement
//
// Only statements under a pinned key count: statements of a bundle that verifies as a whole
// (SPEC 8), and events whose hash is right and that a key of their log's owner signed (SPEC
// 3.3, 4.2). Package walk reports everything else.
//
// # When absence is a finding
//
// A statement that is absent from a log is a finding only if the log is known to be
// complete around the time in question. A stretch of a log is complete if it lacks
// no sequence and each event names the hash of the one before. A stretch of a
// node's journal must also contain a head that the node reported to the service
// (SPEC 4.4) and an event later than the statement. So it is the history that the
// service knew. The tenant log is checked against a checkpoint of a bundle or
// against its own last signature. A statement outside of all such stretches is not
// covered: it is neither present nor missing.
//
// # What this finds
//
// A stolen key can sign, but it cannot write into the journal of the node it was
// stolen from. A store that was tampered with differs from the others, and the
// signatures show which store was altered.
package crosscheck
