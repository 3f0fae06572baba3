// Package eddsa judges Ed25519 keys, those that verify many signatures above all.
//
// [Weakness] finds public keys that must not be relied on (SPEC 1.8). A [Key] verifies many
// signatures several times faster than one by one, with the verdicts of crypto/ed25519.
//
// A journal is many signatures under one pinned key. A signature (R, S) of a
// message holds under the key A if S < l and
//
//	encode(S·B - k·A) = R, with k = SHA-512(R, A, message) mod l
//
// (RFC 8032, 5.1.7, without the cofactor; SPEC 1.8). Verifying one signature
// costs about 250 doublings; they are the same for all signatures of one key,
// so they can be made once.
//
// # Tables
//
// Written with signed digits in radix 2^8, S is the sum of s[i]·256^i for 32 digits from -128
// to 128, and so is k. The tables hold j·256^i·B and j·256^i·(-A) for j from 1 to 128: then
// S·B - k·A is a sum of 64 entries or their negatives, with no doubling. The process has one
// table of B. The table of a key uses 512 KiB and is built when its signatures pass a
// break-even count. Below it crypto/ed25519 decides. A key with very many signatures gets
// tables in radix 2^13, of 10 MiB: then 40 entries are added, and the next ones are fetched
// from memory while the machine adds.
//
// [Keys] bounds the tables of many keys. Those that are used most have them, and
// crypto/ed25519 decides under the others.
//
// # Why the verdicts are the same
//
// The digits sum to the integers S and k themselves, so the multiples are right
// for a key of any order, not only for one in the prime-order subgroup. The
// addition is complete: it has no exceptional case and never a Z of zero. The
// key is hashed as its raw bytes, S is refused unless it is below l, and R is
// not decoded but compared as bytes with the one encoding of the sum. No
// random linear combination is taken, as batch verification would: it would
// decide otherwise on crafted signatures, and could not name the bad one. The
// signatures of a batch share one thing, the inversion of their Zs; as no Z is
// zero, the verdict on one does not depend on its neighbours.
//
// # Confirmed decisions
//
// Every rejection, all of the first signatures that a new table decides, and one
// in 1,024 of the rest are decided by crypto/ed25519 as well. If it differs, the
// run ends with [ErrDisagreement]. Evidence full of bad signatures is therefore
// read at the speed of crypto/ed25519, and no faster.
//
// Nothing here is constant in time: keys, messages and signatures are public.
package eddsa
