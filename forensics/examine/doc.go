// Package examine runs the examinations of a case.
//
// It lets package walk verify the logs and package crosscheck compare the sources,
// and keeps the results in the case.
//
// # Examined evidence
//
// The walk reads everything that the case has of a log: all copies of every event with their
// places, the bundles and checkpoints besides the logs, and the spans that could not be read.
// Spans and paths that could not be read are findings of the walk as well: a walk over half of
// the evidence is inconclusive even if it finds nothing wrong.
//
// # Kept results
//
// The case keeps the result, the findings and the state of a walk, so that the next
// walk under the same trust file can start where this one ended. It also keeps which
// signatures verify, so that none is verified twice. Signatures that do not verify
// are never remembered.
//
// # Without a case
//
// Evidence of any kind gets the verdict that a case with the same evidence gets, and
// nothing is kept. It is read and judged as by a worker who makes a part, and its records
// are examined at once. Records that do not fit into memory are in temporary files. Only their
// owner can read these files, and they end with the check. A case of another person is copied
// into a private folder, and examined there.
package examine
