// Package codec writes values and reads them back. The same calls do both, in the same order:
// a codec writes or reads, so that a document or a row is described once.
package codec

import (
	"encoding/binary"
	"errors"
)

// ErrForm reports bytes that were not written by a codec.
var ErrForm = errors.New("it cannot be read")

// Octets writes values after bytes, or reads them from bytes: integers as varints, texts after
// their length, and digests as they are. Once reading has failed, values are zero.
type Octets struct {
	octets  []byte // written so far, or not yet read
	reading bool
	failed  bool
}

// Write begins to write behind b.
func (c *Octets) Write(b []byte) { *c = Octets{octets: b} }

// Read begins to read b.
func (c *Octets) Read(b []byte) { *c = Octets{octets: b, reading: true} }

// Reading reports whether values are read, and not written.
func (c *Octets) Reading() bool { return c.reading }

// Bytes returns the bytes that were written, or not yet read.
func (c *Octets) Bytes() []byte { return c.octets }

// Fail makes reading fail.
func (c *Octets) Fail() { c.failed, c.octets = true, nil }

// End returns [ErrForm] if reading failed, or if not everything was read.
func (c *Octets) End() error {
	if c.failed || c.reading && len(c.octets) > 0 {
		return ErrForm
	}
	return nil
}

// next returns the next n bytes; nil if there are fewer.
func (c *Octets) next(n uint64) []byte {
	if n > uint64(len(c.octets)) {
		c.Fail()
		return nil
	}
	b := c.octets[:n]
	c.octets = c.octets[n:]
	return b
}

// Octet packs one byte.
func (c *Octets) Octet(b *byte) {
	if !c.reading {
		c.octets = append(c.octets, *b)
		return
	}
	if *b = 0; len(c.octets) > 0 {
		*b = c.octets[0]
	}
	c.next(1)
}

// Digest packs bytes of a length that is known.
func (c *Octets) Digest(b []byte) {
	if !c.reading {
		c.octets = append(c.octets, b...)
		return
	}
	copy(b, c.next(uint64(len(b))))
}

// Flags packs up to eight truths as one byte.
func (c *Octets) Flags(all ...*bool) {
	var flags byte
	for i, is := range all {
		if *is {
			flags |= 1 << i
		}
	}
	c.Octet(&flags)
	for i, is := range all {
		if c.reading {
			*is = flags&(1<<i) != 0
		}
	}
}

// Bool packs a truth as an integer.
func (c *Octets) Bool(is *bool) {
	n := 0
	if *is {
		n = 1
	}
	if Int(c, &n); c.reading {
		*is = n != 0
	}
}

// Text packs a text.
func (c *Octets) Text(s *string) {
	if !c.reading {
		c.octets = append(binary.AppendUvarint(c.octets, uint64(len(*s))), *s...)
		return
	}
	n, size := binary.Uvarint(c.octets)
	if size <= 0 {
		c.Fail()
	}
	c.next(uint64(max(size, 0)))
	*s = string(c.next(n))
}

// Int packs an integer.
func Int[N ~int | ~int64 | ~uint64](c *Octets, n *N) {
	if !c.reading {
		c.octets = binary.AppendVarint(c.octets, int64(*n)) // #nosec G115 -- it is read as it was written
		return
	}
	value, size := binary.Varint(c.octets)
	if size <= 0 {
		c.Fail()
	}
	c.next(uint64(max(size, 0)))
	*n = N(value)
}

// Ints packs integers.
func Ints[N ~int | ~int64 | ~uint64](c *Octets, all ...*N) {
	for _, n := range all {
		Int(c, n)
	}
}

// Word packs one of some words as one byte. Any other is written as the first.
func Word[T ~string](c *Octets, words []T, one *T) {
	var place byte
	for i, w := range words {
		if !c.reading && w == *one {
			place = byte(i) // #nosec G115 -- there are few
		}
	}
	c.Octet(&place)
	switch {
	case !c.reading:
	case int(place) < len(words):
		*one = words[place]
	default:
		c.Fail()
	}
}

// List packs a list. Each element has at least one byte.
func List[T any](c *Octets, all *[]T, one func(*T)) {
	n := len(*all)
	Int(c, &n)
	if c.reading {
		if n < 0 || n > len(c.octets) {
			c.Fail()
		}
		if *all = nil; n > 0 && !c.failed {
			*all = make([]T, 0, min(n, 64)) // more only as more is read
		}
	}
	for i := 0; i < n && !c.failed; i++ {
		if c.reading {
			var zero T
			*all = append(*all, zero)
		}
		one(&(*all)[i])
	}
}
