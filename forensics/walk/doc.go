// Package walk verifies whole logs, event by event.
//
// It gives two answers on each log. Integrity: are the events genuine and linked?
// Completeness: up to where is nothing missing? A log can have one without the
// other.
//
// # Checks
//
// The evidence contains one or more copies of each event of a log. Each copy is
// checked against its own hash, and its signature against the pinned key of the
// log's owner (SPEC 3.3, 4.2). Then the valid copies are compared with each other:
// the previous link, the skip link, the sequence and the time. Statements from
// outside anchor the log: checkpoints, reports of nodes in the tenant log, and
// export cursors. An event that an anchor names must be here, with that hash.
//
// # Which event is blamed
//
// A link is compared only if both of its ends are believed. The hash of an event
// is believed if the owner signed it, or if no key is pinned that could tell. The
// content is believed if it also gives that hash. So an altered event causes one
// finding, about itself, and none about the events that link to it.
//
// # Where a log ends
//
// Anyone who can write to a file can put an event at any sequence, but only the
// owner can sign it. A log goes as far as its anchors, the events that its owner
// signed, and the events that directly follow these and whose hashes are believed.
// An event above the end is reported for its own faults and makes no gap. If a
// sequence has very many copies, all of their signatures are verified, so altered
// copies cannot hide the genuine one, however many there are.
//
// # How it works
//
// A log is read once, in order, and cut into sections. Workers judge the sections; this needs
// most of the time. Each section becomes a few pieces, each a [chain.Segment], and the pieces
// are joined in order. The result does not depend on the number of workers or on where the log
// was cut, and memory does not grow with the length of the log.
package walk
