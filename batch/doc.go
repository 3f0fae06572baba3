// Package batch verifies many bundles in one run.
//
// Every entry that package entry finds ends as exactly one [Record]. Workers read
// and verify entries side by side; the records come in the order of the entries,
// whatever the number of workers. Nothing that grows with the bytes of the
// entries is kept in memory: records wait in a temporary file until the run is
// over, since only then is it known which bundles contradict each other, and
// since every report shows failures first.
//
// [Run] returns a [Result], from which the summary and all reports are made.
package batch
