// Package seal signs the service's documents. It writes them as bytes first.
//
// It is the producing half of the format: canonical JSON, the signed envelope,
// the links of an audit log and the path through it. It is written from the
// specification and shares no code with the half that verifies, so that the
// two can disagree.
//
// A document is made of [Object], []any, string, int64 and bool. Two more
// rules hold everywhere: hashes are lowercase hex, keys and signatures are
// base64url without padding.
//
// Everything that an honest actor of the harness needs is here, and so is all
// that a forger needs: nothing in this package asks whether a statement is
// true before it signs it.
package seal
