// Package text renders the answers on one proof for a terminal.
//
// Every function takes a value that another package computed: the report of a
// verification, the overview of a bundle, the exposure of a trust file. None of
// them verifies or decides anything. Names and values that come from evidence are
// quoted by package safetext.
package text

// The bounds of lists; the JSON form has all of them.
const (
	mostInCheck = 10 // findings of one check
	mostListed  = 64 // faults, statements or links of a bundle
)
