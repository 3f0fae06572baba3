package timestamp

import (
	"crypto"
	_ "crypto/sha256" // linked for crypto.Hash
	_ "crypto/sha3"   // linked for crypto.Hash
	_ "crypto/sha512" // linked for crypto.Hash
	"encoding/asn1"
	"hash"

	"golang.org/x/crypto/cryptobyte"
)

// Hash names a hash function, as all documents of archives do.
type Hash string

// The hash functions that seals and tokens can use.
const (
	SHA256   Hash = "sha-256"
	SHA384   Hash = "sha-384"
	SHA512   Hash = "sha-512"
	SHA3x256 Hash = "sha3-256"
	SHA3x384 Hash = "sha3-384"
	SHA3x512 Hash = "sha3-512"
)

// hashes are all hash functions with their identifiers.
var hashes = map[Hash]struct {
	function crypto.Hash
	oid      asn1.ObjectIdentifier
}{
	SHA256:   {crypto.SHA256, asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 1}},
	SHA384:   {crypto.SHA384, asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 2}},
	SHA512:   {crypto.SHA512, asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 3}},
	SHA3x256: {crypto.SHA3_256, asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 8}},
	SHA3x384: {crypto.SHA3_384, asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 9}},
	SHA3x512: {crypto.SHA3_512, asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 10}},
}

// function returns the hash function, 0 for a name that is not known.
func (h Hash) function() crypto.Hash { return hashes[h].function }

// Known reports whether the name is one of those above.
func (h Hash) Known() bool { return h.function() != 0 }

// New returns the hash function. The name must be known.
func (h Hash) New() hash.Hash { return h.function().New() }

// Size is the length of a digest in bytes, 0 for a name that is not known.
func (h Hash) Size() int {
	if !h.Known() {
		return 0
	}
	return h.function().Size()
}

// Sum returns the digest of some bytes. The name must be known.
func (h Hash) Sum(octets []byte) []byte {
	f := h.New()
	f.Write(octets)
	return f.Sum(nil)
}

// oid returns the identifier of the hash function, nil for a name that is not known.
func (h Hash) oid() asn1.ObjectIdentifier { return hashes[h].oid }

// ParseHash returns the hash function that the content of an AlgorithmIdentifier names,
// without parameters or with NULL; "" for another.
func ParseHash(content []byte) Hash {
	var a algorithm
	if !readAlgorithmContent(content, &a) {
		return ""
	}
	return a.hash()
}

// Identifier returns the content of the AlgorithmIdentifier of the hash function, without
// parameters. The name must be known.
func (h Hash) Identifier() []byte {
	var b cryptobyte.Builder
	b.AddASN1ObjectIdentifier(h.oid())
	return b.BytesOrPanic() // it is one of the table
}
