package read

import (
	"encoding/binary"
	"math/bits"
)

// sevenReader reads a header. After the first fault all it reads is zero.
type sevenReader struct {
	b     []byte
	limit int // of anything that is counted
	bad   bool
}

func (r *sevenReader) fail() { r.bad, r.b = true, nil }

// take returns the next octets, as many as they are if there are enough.
func (r *sevenReader) take(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.fail()
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *sevenReader) octet() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

// number reads a number: the ones at the beginning of the first octet say how many
// octets follow.
func (r *sevenReader) number() uint64 {
	first := r.octet()
	more := bits.LeadingZeros8(^first)
	b := r.take(uint64(more))
	v := uint64(0)
	for i := len(b) - 1; i >= 0; i-- {
		v = v<<8 | uint64(b[i])
	}
	if more < 7 {
		v |= uint64(first&(1<<(7-more)-1)) << (8 * more)
	}
	return v
}

// size reads a number of octets.
func (r *sevenReader) size() int64 {
	n := r.number()
	if n > 1<<60 {
		r.fail()
		return 0
	}
	return int64(n)
}

// count reads a number of things.
func (r *sevenReader) count() int {
	n := r.number()
	if n > uint64(r.limit) {
		r.fail()
		return 0
	}
	return int(n)
}

// bits reads as many bits.
func (r *sevenReader) bits(n int) []bool {
	b := r.take(uint64(n+7) / 8)
	all := make([]bool, 0, len(b)*8)
	for i := range min(n, len(b)*8) {
		all = append(all, b[i/8]>>(7-i%8)&1 == 1)
	}
	return all
}

// sums reads checksums; those that are not there are nil.
func (r *sevenReader) sums(n int) []*uint32 {
	known := make([]bool, 0)
	if all := r.octet() != 0; !all {
		known = r.bits(n)
	} else if n*4 <= len(r.b) {
		for range n {
			known = append(known, true)
		}
	} else {
		r.fail()
	}
	sums := make([]*uint32, 0, len(known))
	for _, k := range known {
		sums = append(sums, nil)
		if b := []byte(nil); k {
			if b = r.take(4); b != nil {
				sum := binary.LittleEndian.Uint32(b)
				sums[len(sums)-1] = &sum
			}
		}
	}
	if len(sums) < n {
		r.fail()
	}
	return sums
}
