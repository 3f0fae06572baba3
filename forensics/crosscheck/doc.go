// Package crosscheck holds the pieces of evidence in a case against each other:
// bundles against the journals of those who are said to have signed them, the
// journals against the tenant log, and one store of copies against another.
//
// # What counts as a statement
//
// Only what a pinned key signed: a bundle that verifies as a whole (SPEC 8), and
// events that give their own hash under a signature by a key of their log's owner
// (SPEC 3.3, 4.2). Anything else is for package walk to name.
//
// # When absence is a finding
//
// That something is not in a log means something only where the log is known to
// be whole around the time in question. A stretch of a log is whole if no
// sequence is missing in it and each event holds the hash of the one before; the
// stretch of a node's journal must also hold a head that the node reported to
// the service (SPEC 4.4), so that it is the very history that the service knew,
// and an event later than what is looked for. The tenant log is held to a
// checkpoint of a bundle or to its own last signature. Whatever no such stretch
// covers is not covered: neither there nor missing.
//
// # What this finds
//
// A stolen key signs, but it does not write into the journal of the node that it
// was stolen from. A store that was tampered with differs from the others, and
// the signatures tell which of them it is.
package crosscheck
