// Package walk verifies whole logs again, event by event: is what is here
// genuine and linked (integrity), and up to where is nothing missing
// (completeness)? These are two answers, and a log can have the one without the
// other.
//
// # What is looked at
//
// For each sequence of a log the evidence holds one or more copies. A copy is
// held against its own hash, and against the signature by the pinned key of the
// log's owner (SPEC 3.3, 4.2). The copies that hold are then held against each
// other: the previous link, the skip link, the sequence and the time. What
// comes from outside, checkpoints, reports of nodes in the tenant log, and
// export cursors, anchors the log: an event that an anchor names must be here,
// and be that very event.
//
// # Who is blamed
//
// A link is compared only where both its ends are believed. The hash of an
// event is believed if its owner signed it, or if there is no pinned key to
// tell; its content if in addition it gives that hash. So an altered event is
// named once, itself, and not again by every younger event that links to it.
//
// # How far a log goes
//
// Whoever can write to a file can put an event at any sequence, but only the
// owner can sign one there. So a log goes as far as its anchors, the events that
// its owner signed, and the events that go on from these one by one and of which
// the hash is believed. An event above that is named for what is wrong with it,
// and shows no gap. Of a sequence with very many copies all signatures are
// verified, so that no number of altered copies hides the genuine one.
//
// # How it is done
//
// A log is read once, in order, and cut into stretches. Workers judge the
// stretches, which is where the time goes; a stretch comes back as a few pieces,
// each a [chain.Segment], and the pieces are joined in order. The answer does
// not depend on the number of workers or on where the log was cut. Memory does
// not depend on the length of the log.
package walk
