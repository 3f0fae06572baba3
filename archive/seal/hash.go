package seal

import (
	"crypto/sha3"
	"crypto/sha512"
	"hash"
)

// Size is the size of every digest in seals.
const Size = 64

// Digest is a digest under the hash that the seal names.
type Digest [Size]byte

// Hash is a hash function for trees and objects (SPEC 16.5).
type Hash string

// The hashes. A seal is made with the first, unless an archive is hashed again.
const (
	SHA512  Hash = "sha-512"
	SHA3512 Hash = "sha3-512"
)

// New returns the hash function.
func (h Hash) New() hash.Hash {
	if h == SHA3512 {
		return sha3.New512()
	}
	return sha512.New()
}

// Sum returns the digest of octets.
func (h Hash) Sum(b []byte) Digest {
	f := h.New()
	f.Write(b)
	return Digest(f.Sum(nil))
}
