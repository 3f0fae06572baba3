// Package chance makes the harness reproducible. Its random streams, keys and
// clock follow from one number, so that a scene has the same bytes every time. A
// running service uses Fresh and Wall instead.
//
// Go's key generators and its ECDSA signer take randomness from the system
// whatever reader they are given. The keys here are built from seeded numbers
// instead, and ECDSA keys sign by RFC 6979.
package chance

import (
	cryptorand "crypto/rand"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
)

// Source gives out random streams by name. Streams of different names are
// independent: a new one does not disturb the others.
type Source struct{ seed string }

// New returns the source of a seed.
func New(seed uint64) Source { return Source{fmt.Sprint(seed)} }

// Fresh returns a source that no one can make again: its seed is 256 bits of
// the system's randomness.
func Fresh() Source {
	var b [32]byte
	cryptorand.Read(b[:]) // never fails
	return Source{fmt.Sprintf("%x", b)}
}

// Stream returns the random stream of a name, from its beginning.
func (s Source) Stream(name string) *Stream {
	key := sha256.Sum256(fmt.Appendf(nil, "svc-harness %s %s", s.seed, name))
	chacha := rand.NewChaCha8(key)
	return &Stream{chacha, rand.New(chacha)}
}

// Stream is a reader of random bytes. It never fails and never ends.
type Stream struct {
	chacha *rand.ChaCha8
	rand   *rand.Rand
}

// Read fills p.
func (s *Stream) Read(p []byte) (int, error) { return s.chacha.Read(p) }

// Below returns a number from 0 to n-1.
func (s *Stream) Below(n int) int { return s.rand.IntN(n) }

// Bytes returns n random bytes.
func (s *Stream) Bytes(n int) []byte {
	b := make([]byte, n)
	s.chacha.Read(b) // never fails
	return b
}

// Salt returns a salt for an audit event.
func (s *Stream) Salt() [16]byte { return [16]byte(s.Bytes(16)) }
