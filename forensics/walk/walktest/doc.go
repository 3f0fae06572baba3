// Package walktest makes histories of logs for tests of the walk. Everything in
// them was really signed; it damages them, and says by the definition what a walk
// must find.
//
// A World is a tenant with its log, two nodes with theirs, and what was collected
// of all three. It is a walk.Reader in memory, and what tests write into files.
// Naive is the oracle: a walk over whole documents, quadratic, with the harness's
// encoder and none of the verifier's. Words are what both of them say, in a form
// that can be compared.
package walktest
