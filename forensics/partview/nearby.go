package partview

import (
	"context"
	"math"
	"slices"
	"sort"
	"sync"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
)

const (
	nearSequences = 1 << 10 // two questions about sequences so far apart are near each other
	mostNear      = 1 << 9  // copies of a log that are held for the next question, about
	mostNearLogs  = 16      // with copies in memory
	nearBelow     = 64      // sequences below a question that are read with it
	mostAsked     = 4       // questions before the next one, which can be near to each
)

// nearby holds copies for questions about few events that come one after the other: reading
// one copy costs as much as reading half of its block.
type nearby struct {
	most int // copies of a log

	mu sync.Mutex
	of map[facts.Log]*asked
}

// asked is where a log was asked about last, and the copies of it that are held. These are
// all of the sequences from first to last, and none without any.
type asked struct {
	at          [mostAsked]uint64 // the last question first
	first, last uint64
	copies      []part.Copy
}

// copiesWithin returns the copies of a log within sequences, which may not be changed. It
// returns false if they are not held, and there was no question near to this one.
func (n *nearby) copiesWithin(ctx context.Context, content part.Content, log facts.Log, from,
	to uint64) ([]part.Copy, bool, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	a := n.of[log]
	if a == nil {
		if n.of == nil || len(n.of) >= mostNearLogs {
			n.of = map[facts.Log]*asked{}
		}
		a = &asked{first: 1}
		n.of[log] = a
	}
	if near := a.isNear(from); !a.hasRange(from, to) {
		if !near {
			return nil, false, nil
		}
		if err := a.readFrom(ctx, content, log, from-min(from, nearBelow), n.most); err != nil || !a.hasRange(from, to) {
			return nil, false, err
		}
	}
	first := sort.Search(len(a.copies), func(i int) bool { return a.copies[i].Sequence >= from })
	rest := a.copies[first:]
	return rest[:sort.Search(len(rest), func(i int) bool { return rest[i].Sequence > to })], true, nil
}

// isNear notes a question, and reports whether it is near to one of the last ones.
func (a *asked) isNear(from uint64) bool {
	near := slices.ContainsFunc(a.at[:], func(at uint64) bool {
		return at > 0 && max(at, from)-min(at, from) <= nearSequences
	})
	copy(a.at[1:], a.at[:])
	a.at[0] = from
	return near
}

// hasRange reports whether all copies of sequences are held.
func (a *asked) hasRange(from, to uint64) bool { return a.first <= from && to <= a.last }

// readFrom reads the copies from a sequence on that are held from now on.
func (a *asked) readFrom(ctx context.Context, content part.Content, log facts.Log, from uint64, most int) error {
	a.first, a.last, a.copies = from, math.MaxUint64, nil // those that were handed out stay as they are
	for c, err := range content.Copies(ctx, log, from) {
		if err != nil {
			a.first, a.last, a.copies = 1, 0, nil
			return err
		}
		if k := len(a.copies); k >= most {
			if last := a.copies[k-1].Sequence; last != c.Sequence {
				a.last = c.Sequence - 1
				return nil
			}
		}
		if len(a.copies) == 2*most { // too many of one sequence
			a.last = c.Sequence - 1
			return nil
		}
		a.copies = append(a.copies, part.Copy{})
		copyInto(&a.copies[len(a.copies)-1], c)
	}
	return nil
}
