// Package text renders the answers on a case for a terminal.
//
// Every function takes a result that another package computed and returns a page,
// or writes one where the result is too long to keep. None of them reads a case
// or decides anything. Where a page goes, and whether in colours, is for the
// command. The JSON form of an answer has everything; a page is cut to what
// people read and says how much was left out.
//
// Names and values that come from evidence are quoted by package safetext.
package text

// The bounds of lists.
const (
	mostCauses  = 8
	mostForks   = 8  // of one log
	mostOrigins = 8  // of the missing events that are known, and of transactions
	mostPaths   = 8  // of an ingest
	mostPlaces  = 10 // of a finding, and items of what was left out
	mostSources = 10 // unless all are asked for
)
