package guard

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"hash"
)

// KeySize is the size of a user's secret, and of the keys that are derived from it.
const KeySize = 32

// Derive derives a key from a user's secret, for one use that a label names.
func Derive(secret [KeySize]byte, label string) (key [KeySize]byte, err error) {
	b, err := hkdf.Expand(sha256.New, secret[:], label, KeySize)
	copy(key[:], b)
	return key, err
}

// A Coder makes codes under one key. It is used by one goroutine at a time.
type Coder struct {
	mac    hash.Hash
	length [8]byte
	of     []byte
}

// NewCoder returns a coder.
func NewCoder(key [KeySize]byte) *Coder { return &Coder{mac: hmac.New(sha256.New, key[:])} }

// Code returns the HMAC-SHA256 of parts. The purpose of the code is the first part, and each
// part has its length, so that no two lists give the same bytes.
func (c *Coder) Code(of string, parts ...[]byte) (sum [sha256.Size]byte) {
	c.mac.Reset()
	c.of = append(c.of[:0], of...)
	c.addPart(c.of)
	for _, p := range parts {
		c.addPart(p)
	}
	c.mac.Sum(sum[:0])
	return sum
}

func (c *Coder) addPart(p []byte) {
	binary.BigEndian.PutUint64(c.length[:], uint64(len(p)))
	c.mac.Write(c.length[:])
	c.mac.Write(p)
}

// Code is Coder.Code for a single code.
func Code(key [KeySize]byte, of string, parts ...[]byte) [sha256.Size]byte {
	return NewCoder(key).Code(of, parts...)
}
