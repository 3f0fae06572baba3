package crosscheck

import (
	"encoding/binary"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/evidence"
)

// seen remembers digests in little memory. It has no false negatives; false positives are
// possible. The zero seen has none.
type seen struct{ filter evidence.Filter }

// seenBits is enough for a million digests, with one false positive in a hundred.
const seenBits = 1 << 24

func (s *seen) add(d chain.Hash) {
	if s.filter == nil {
		s.filter = evidence.NewFilter(seenBits)
	}
	s.filter.Add(binary.BigEndian.Uint64(d[:]))
}

func (s *seen) has(d chain.Hash) bool { return s.filter.Has(binary.BigEndian.Uint64(d[:])) }
