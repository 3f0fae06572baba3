package store

import (
	"container/heap"
	"context"
	"iter"
	"slices"

	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// ahead bounds the events that are read ahead of a selection by time, over all logs. A log has
// at least one copy of it. To read on in a log costs the half of a block, so that there is
// more of it than one would think.
type ahead struct{ copies, octets int }

var usualAhead = ahead{copies: 1 << 15, octets: 32 << 20}

// fewAhead is how many copies of a log are read at first.
const fewAhead = 64

// SelectByTime yields the same copies as [Queries.Select], merged over all logs by time: next
// comes the log whose next event occurred first, and of several the first by tenant and log
// id. Within a log the order is by sequence, even where the times go back. Copies of a
// sequence stay together, and the time of the first counts.
func (q *Queries) SelectByTime(ctx context.Context, f Filter) iter.Seq2[Selected, error] {
	return evidence.Stream(func(yield func(Selected) error) error {
		all, err := q.cursors(ctx, f)
		for err == nil && len(all) > 0 {
			next := all[0]
			if err = next.yield(ctx, yield); err != nil {
				break
			}
			if len(next.ahead) > 0 {
				heap.Fix(&all, 0)
			} else {
				heap.Pop(&all)
			}
		}
		return err
	})
}

// cursors returns a cursor for each log that has an event to select.
func (q *Queries) cursors(ctx context.Context, f Filter) (cursors, error) {
	logs, err := q.v.Logs(ctx)
	if err != nil {
		return nil, err
	}
	logs = slices.DeleteFunc(logs, func(log facts.Log) bool { return !f.Wants(log) })
	var all cursors
	for rank, log := range logs {
		k := &cursor{q: q, log: log, rank: rank, filter: f, copies: fewAhead,
			most: ahead{max(1, q.most.copies/len(logs)), max(1, q.most.octets/len(logs))}}
		if err := k.readAhead(ctx); err != nil {
			return nil, err
		}
		if len(k.ahead) > 0 {
			all = append(all, k)
		}
	}
	heap.Init(&all)
	return all, nil
}

// cursor is where a selection by time is in one log.
type cursor struct {
	q      *Queries
	log    facts.Log
	rank   int    // of the log among the logs
	filter Filter // of the unread part
	most   ahead  // to read
	copies int    // to read next: few at first, as the first events are often enough
	ended  bool   // nothing comes after ahead
	scan   *scan  // of the log, if the filter needs one
	// ahead are the next copies: all copies of each sequence, and of a crowd the first
	// one, which is the last of ahead.
	ahead []Selected
}

// readAhead reads ahead: as many sequences as fit with all their copies, and one at
// least.
func (k *cursor) readAhead(ctx context.Context) error {
	k.ahead, k.ended = nil, true
	octets, copies := 0, min(k.copies, k.most.copies)
	k.copies = 4 * copies
	s := k.q.selectionOf(ctx, k.log, k.filter)
	if k.scan != nil {
		s.scan = k.scan
	}
	k.scan = s.scan
	err := s.eachCopy(func(e Selected) error {
		if e.Variant == 0 && len(k.ahead) > 0 && (len(k.ahead)+e.Copies > copies || octets >= k.most.octets) {
			k.ended = false
			return evidence.ErrStop
		}
		k.ahead = append(k.ahead, e)
		octets += len(e.Kept.Body)
		k.filter.First = e.Link.Sequence + 1
		if k.isCrowd(e.Copies) {
			k.ended = false
			return evidence.ErrStop
		}
		return nil
	})
	if err == evidence.ErrStop {
		return nil
	}
	return err
}

// isCrowd reports whether so many copies of a sequence are too many to be read ahead.
func (k *cursor) isCrowd(copies int) bool { return copies > min(k.most.copies, mostHeld) }

// yield yields the copies of the next sequence, and reads on.
func (k *cursor) yield(ctx context.Context, yield func(Selected) error) error {
	n := 1
	if k.isCrowd(k.ahead[0].Copies) {
		if err := k.yieldCrowd(ctx, yield); err != nil {
			return err
		}
	} else {
		n = k.ahead[0].Copies
		for _, e := range k.ahead[:n] {
			if err := yield(e); err != nil {
				return err
			}
		}
	}
	if k.ahead = k.ahead[n:]; len(k.ahead) > 0 || k.ended {
		return nil
	}
	return k.readAhead(ctx)
}

// yieldCrowd yields copies that are too many to be read ahead.
func (k *cursor) yieldCrowd(ctx context.Context, yield func(Selected) error) error {
	sequence := k.ahead[0].Link.Sequence
	s := k.q.selectionOf(ctx, k.log, Filter{})
	s.in = evidence.Stretch{First: sequence, Last: sequence}
	return s.eachCopy(yield)
}

// cursors is a heap, the next first.
type cursors []*cursor

func (h cursors) Len() int      { return len(h) }
func (h cursors) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *cursors) Push(x any)   { *h = append(*h, x.(*cursor)) }

func (h cursors) Less(i, j int) bool {
	a, b := h[i], h[j]
	if x, y := a.ahead[0].OccurredAt, b.ahead[0].OccurredAt; x != y {
		return x < y
	}
	return a.rank < b.rank
}

// Pop removes the last.
func (h *cursors) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
