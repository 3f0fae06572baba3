package block

import (
	"sync"

	"github.com/svc-edge/svc-verify/chain"
)

// full is the full number (SPEC 4.3) below which skip links are looked up.
const full = 9841

// distances returns how far the skip link goes back from an event, by how far the event
// is above the last multiple of full numbers above it all: see [skips].
var distances = sync.OnceValue(func() *[full]uint16 {
	var all [full]uint16
	for n := range uint64(full) {
		all[n] = uint16(n - chain.Skip(n))
	}
	for n := 1; n < full; n = 3*n + 1 {
		all[n] = uint16(n) // a full number links so only at the beginning of a log
	}
	return &all
})

// skips describes which events skip links name, as [chain.Skip] does, but faster for
// sequences that follow each other.
//
// The way to a skip link divides by ever smaller full numbers. As long as only the remainder
// of the division by full changes, the divisions before it give the same.
type skips struct {
	base  uint64 // the divisor without remainder; 0 if unknown
	table *[full]uint16
}

func (s *skips) of(n uint64) uint64 {
	if above := n - s.base; above > 0 && above < full && s.base > 0 {
		return n - uint64(s.table[above])
	}
	if rest, ok := skipRemainder(n); ok {
		s.base, s.table = n-rest, distances()
	}
	return chain.Skip(n)
}

// skipRemainder returns the remainder of a sequence after division by the full numbers from the
// largest below it down to full. It returns false if that is nothing, and for full numbers and
// those below full, as they have another rule.
func skipRemainder(n uint64) (uint64, bool) {
	if n <= full {
		return 0, false
	}
	f := uint64(full)
	for (n-1)/3 >= f {
		f = 3*f + 1
	}
	rest := n % f
	for ; rest > 0 && f > full; rest %= f {
		f /= 3
	}
	return rest, rest > 0 && n != f
}
