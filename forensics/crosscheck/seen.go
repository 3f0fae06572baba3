package crosscheck

import (
	"encoding/binary"

	"github.com/svc-edge/svc-verify/chain"
)

// seen remembers digests in little memory. It forgets none, and takes some for
// seen that are not: so what it says is only ever a reason to look (a Bloom
// filter).
type seen struct{ bits []uint64 } // nil: none yet

// seenBits is enough for a million digests, of which one in a hundred is then
// taken for seen. It is a power of two.
const seenBits = 1 << 24

func (s *seen) add(d chain.Hash) {
	if s.bits == nil {
		s.bits = make([]uint64, seenBits/64)
	}
	for i := range 4 {
		n := binary.BigEndian.Uint32(d[4*i:]) % seenBits
		s.bits[n/64] |= 1 << (n % 64)
	}
}

func (s *seen) has(d chain.Hash) bool {
	if s.bits == nil {
		return false
	}
	for i := range 4 {
		n := binary.BigEndian.Uint32(d[4*i:]) % seenBits
		if s.bits[n/64]>>(n%64)&1 == 0 {
			return false
		}
	}
	return true
}
