// Package seed is all the chance and all the time that the harness has: random
// streams, keys and a clock that follow from one number, so that a scene has
// the same bytes every time.
//
// Go's key generators and its ECDSA signer take randomness from the system
// whatever reader they are given. The keys here are built from seeded numbers
// instead, and ECDSA keys sign by RFC 6979.
package seed

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"time"
)

// Source gives out random streams by name. Streams of different names are
// independent: a new one does not disturb the others.
type Source struct{ seed uint64 }

// New returns the source of a seed.
func New(seed uint64) Source { return Source{seed} }

// Stream returns the random stream of a name, from its beginning.
func (s Source) Stream(name string) *Stream {
	key := sha256.Sum256(fmt.Appendf(nil, "svc-harness %d %s", s.seed, name))
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

// Clock is a clock that only moves when it is read.
type Clock struct {
	now   time.Time
	steps *Stream
}

// longestStep bounds the time between two readings. It is short, so that
// approvals are still fresh when a certificate is issued.
const longestStep = 1800 * time.Millisecond

// Clock returns the clock of the source. It starts at 2026-03-02T09:00:00Z.
func (s Source) Clock() *Clock {
	return &Clock{time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC), s.Stream("clock")}
}

// Next moves the clock by 1 ms or more and returns the new time. No two calls
// return the same time.
func (c *Clock) Next() time.Time {
	c.now = c.now.Add(time.Duration(1+c.steps.Below(int(longestStep.Milliseconds()))) * time.Millisecond)
	return c.now
}

// Pass lets time go by.
func (c *Clock) Pass(d time.Duration) { c.now = c.now.Add(d) }
