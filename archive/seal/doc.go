// Package seal seals archives, and verifies seals (SPEC 16).
//
// A seal commits to every object of an archive by its path, size and digest: they are the
// leaves of a Merkle tree (RFC 6962) over SHA-512, and its root is in a statement that two
// signatures are on (package sealkey). [Make] reads every byte of the archive, and seals only
// objects that its ledger knows in this state.
//
// The leaves are kept in a file next to the seal, a line each. This file lets one object be
// proven without the others ([Prove]), and shows each alteration and its place.
//
// A seal, a proof and a list of leaves are hostile input. Each has one spelling.
package seal
