// Package plan divides evidence into shares, so that many workers can read it, each a
// share of it.
//
// A plan lists everything: every source with its digest and its paths, every path that is not
// read with the reason, and which worker reads which source. So it also shows which evidence
// is missing if a worker's result is. The same files give the same plan.
//
// # Cuts
//
// Only files whose lines stand alone are cut, between two of these lines (see [read.Lines]):
// journals, and the formats of stores that have a record and all that belongs to it on a line
// ([read.Format.IsCut]). Behind the first line that does not stand alone, a file is not cut
// any more. Everything else goes whole: compressed files, archives, volumes, tables, and lines
// that belong together.
//
// # Shares
//
// Shares have about equal work. Work is measured by bytes, and packed bytes count
// more. Files that begin with an event of the same log are neighbours, and so are the
// ranges of a file, so that a share has few logs and long runs of each.
//
// A worker needs nothing but its share and the trust file. In particular it needs no
// checkpoints, cursors or reports of other shares: the judgements in a share do not depend on
// them, and they would not make its part smaller. So a plan reads nothing first.
package plan
