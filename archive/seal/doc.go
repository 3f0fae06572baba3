// Package seal seals archives, and verifies seals (SPEC 16).
//
// A seal commits to every object of an archive by its path, size and digest: they
// are the leaves of a Merkle tree (RFC 6962) over SHA-512, and its root is in a
// statement that two signatures are on (package sealkey). [Make] reads every octet of
// the archive, and seals only what its ledger knows in this state.
//
// The leaves are kept in a file beside the seal, a line each. With it, the proof of
// one object needs no other object ([Prove]), and shows what was altered, where.
//
// A seal, a proof and a list of leaves are hostile input. Each has one spelling.
package seal
