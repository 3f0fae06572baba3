// Package examine examines a case: it hands the events of a case (package
// casefile) to the walk over whole logs (package walk), and keeps in the case what
// the walk said.
//
// # What goes in
//
// [Open] makes a [Source] of an open case. Everything that the case holds of a
// log is in it: all copies of every event, the places of each in the evidence,
// the bundles and checkpoints beside the logs, and the spans that could not be
// read. Spans and paths that could not be read are findings of the walk too: a
// walk that found nothing wrong in half of the evidence is inconclusive.
//
// # What is kept
//
// [Walk] keeps its result, its findings and its state, so that the next walk
// under the same trust file can begin where this one ended; and the signatures
// that held, so that none is verified twice. A signature that did not hold is
// never remembered.
package examine
