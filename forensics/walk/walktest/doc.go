// Package walktest makes histories of logs for tests of the walk. Everything in them was
// really signed; it damages them, and derives from the definition the findings that a walk
// must have.
//
// A World is a tenant with its log, two nodes with theirs, and the evidence collected of all
// three. It is a walk.Reader in memory, and tests write it into files. Naive is the oracle: a
// walk over whole documents, quadratic, with the harness's encoder and none of the verifier's.
// Words are the results of both, in a form that can be compared.
package walktest
