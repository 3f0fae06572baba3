package partview

import (
	"errors"
	"math/bits"
	"sync"

	"github.com/svc-edge/svc-verify/forensics/facts"
)

// name describes which copy of an event is meant: which of the copies of its sequence by
// digest, from 0.
type name struct {
	log      int64 // its number
	sequence uint64
	variant  int
}

// names writes names as references. The first copy of a sequence has a positive one,
// all others a negative one, as in a case. A reference packs the name itself, so that
// no table grows with the events. What has no room in it is packed with the number of
// a page: those names that are alike but for their lowest bits. Evidence that makes
// pages has sequences of 2^40 and more, or thousands of copies of one.
type names struct {
	logBits int

	mu     sync.RWMutex
	pages  []name // without their lowest bits
	number map[name]int64
}

const (
	refBits     = 62 // of a reference, but for its sign and paged
	paged       = 1 << refBits
	variantBits = 12 // of a name that is packed

	// The lowest bits, which names on one page differ in.
	pageSequence = 20
	pageVariant  = 10

	// mostPages bounds the memory for pages, of some 100 bytes each.
	mostPages = 1 << 20
)

func newNames(logs int) *names {
	return &names{logBits: bits.Len(uint(logs)), number: map[name]int64{}}
}

// ref returns the reference of a copy.
func (n *names) ref(of name) (facts.Ref, error) {
	if of.variant == 0 {
		if room := refBits - n.logBits; of.sequence>>room == 0 {
			return facts.Ref(of.log<<room | int64(of.sequence)), nil
		}
	} else if room := refBits - n.logBits - variantBits; of.sequence>>room == 0 && of.variant>>variantBits == 0 {
		return -facts.Ref((of.log<<room|int64(of.sequence))<<variantBits | int64(of.variant)), nil
	}
	page, err := n.page(name{of.log, of.sequence >> pageSequence, of.variant >> pageVariant})
	low := int64(of.sequence&(1<<pageSequence-1)<<pageVariant) | int64(of.variant&(1<<pageVariant-1))
	ref := facts.Ref(paged | page<<(pageSequence+pageVariant) | low)
	if of.variant > 0 {
		ref = -ref
	}
	return ref, err
}

// errPages is the error for evidence that has too many pages.
var errPages = errors.New("the parts have more very high sequences, each far from all others, than can be told apart")

// page returns the number of a page.
func (n *names) page(of name) (int64, error) {
	n.mu.RLock()
	number, known := n.number[of]
	n.mu.RUnlock()
	if known {
		return number, nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if number, known := n.number[of]; known {
		return number, nil
	}
	if len(n.pages) == mostPages {
		return 0, errPages
	}
	number = int64(len(n.pages))
	n.pages, n.number[of] = append(n.pages, of), number
	return number, nil
}

// nameOf returns which copy a reference is of; ok is false for one that ref did not make.
func (n *names) nameOf(ref facts.Ref) (of name, ok bool) {
	further := ref < 0
	v := int64(ref)
	if further {
		v = -v
	}
	switch {
	case v <= 0:
		return of, false
	case v&paged != 0:
		return n.ofPage(v &^ paged)
	case further:
		room := refBits - n.logBits - variantBits
		of.variant = int(v & (1<<variantBits - 1))
		v >>= variantBits
		of.log, of.sequence = v>>room, uint64(v&(1<<room-1))
	default:
		room := refBits - n.logBits
		of.log, of.sequence = v>>room, uint64(v&(1<<room-1))
	}
	return of, of.log > 0 && further == (of.variant > 0)
}

func (n *names) ofPage(v int64) (of name, ok bool) {
	n.mu.RLock()
	defer n.mu.RUnlock()
	number := v >> (pageSequence + pageVariant)
	if number >= int64(len(n.pages)) {
		return of, false
	}
	of = n.pages[number]
	of.sequence = of.sequence<<pageSequence | uint64(v>>pageVariant&(1<<pageSequence-1))
	of.variant = of.variant<<pageVariant | int(v&(1<<pageVariant-1))
	return of, true
}
