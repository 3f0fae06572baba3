// Package timestamp makes requests for RFC 3161 time-stamp tokens and verifies the
// tokens, offline (SPEC 17.3 to 17.6, 17.10).
//
// A token states that some bytes existed at a time. It is believed only if its signer leads to
// an authority that the caller pins; the certificates in a token are candidates for the way
// there, and nothing more.
//
// Judging a token has three parts. [Parse] reads it and checks its form. [Token.Trace] finds
// the way from its signer to a pinned authority, and verifies all signatures on it.
// [Chain.Judge] judges the token at a time: certificates expire or are revoked, as CRLs and
// OCSP answers in files or in the token show. [Token.With] puts such evidence into a token,
// whose signed parts stay as they are.
package timestamp
