// Package sealkey signs statements about archives, and checks such signatures
// (SPEC 16.1 to 16.3).
//
// A [Key] is two keys: Ed25519 and ML-DSA-65 (FIPS 204). Each signature is two, and
// both must hold. Ed25519 falls to a quantum computer, and ML-DSA is young; a forger
// has to break both.
//
// The signed bytes name both algorithms and the digests of both public keys, so that neither
// signature is valid alone, in another pair, or under another protocol.
//
// Public keys come from the file of --seal-trust alone ([ParseTrust]), never from the data
// that they verify.
package sealkey
