package casefile

import (
	"container/heap"
	"context"
	"iter"
	"slices"

	"github.com/svc-edge/svc-verify/forensics/facts"
)

// mostAhead is how many copies are read ahead of where a selection by time
// stands, over all logs. A log has at least one of them.
const mostAhead = 1 << 13

// SelectByTime yields the same copies as [Case.Select], merged over all logs by
// time: next comes the log whose next event occurred first, and of several the
// first by tenant and log id. Within a log the order is that of the sequences, even
// where the times go back. Copies of a sequence stay together, and the time of the
// first counts.
func (c *Case) SelectByTime(ctx context.Context, f Filter) iter.Seq2[Selected, error] {
	return selectByTime(ctx, c, f, mostAhead)
}

func selectByTime(ctx context.Context, c *Case, f Filter, most int) iter.Seq2[Selected, error] {
	return stream(func(yield func(Selected, error) bool) error {
		all, err := cursorsOf(ctx, c, f, most)
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

// cursorsOf returns a cursor for each log that has an event to select. Together
// they read most copies ahead.
func cursorsOf(ctx context.Context, c *Case, f Filter, most int) (cursors, error) {
	logs, err := c.Logs(ctx)
	if err != nil {
		return nil, err
	}
	logs = slices.DeleteFunc(logs, func(log Log) bool { return !f.Wants(log) })
	var all cursors
	for rank, log := range logs {
		k := &cursor{c: c, log: log, rank: rank, filter: f, most: max(1, most/len(logs))}
		if err := k.fill(ctx); err != nil {
			return nil, err
		}
		if len(k.ahead) > 0 {
			all = append(all, k)
		}
	}
	heap.Init(&all)
	return all, nil
}

// cursor is where a selection by time stands in one log.
type cursor struct {
	c      *Case
	log    Log
	rank   int    // of the log among the logs
	filter Filter // of what was not read yet
	most   int    // copies to read ahead
	ended  bool   // nothing comes after ahead
	// ahead are the next copies: all copies of each sequence, or else the first
	// copy of one that has more than most of them.
	ahead []facts.Event
}

// fill reads ahead: as many sequences as fit with all their copies, and one at
// least.
func (k *cursor) fill(ctx context.Context) error {
	k.ahead, k.ended = nil, true
	for e, err := range selectIn(ctx, k.c, k.log, k.filter) {
		if err != nil {
			return err
		}
		if e.Variant == 0 && len(k.ahead) > 0 && len(k.ahead)+e.Copies > k.most {
			k.ended = false
			break
		}
		k.ahead = append(k.ahead, e)
		k.filter.First = e.Link.Sequence + 1
		if k.crowded() {
			k.ended = false
			break
		}
	}
	return nil
}

// crowded reports whether the next sequence has more copies than are read ahead.
func (k *cursor) crowded() bool { return len(k.ahead) > 0 && k.ahead[0].Copies > k.most }

// yield yields the copies of the next sequence, and reads on.
func (k *cursor) yield(ctx context.Context, yield func(Selected, error) bool) error {
	n := 1
	if k.crowded() {
		if err := k.yieldCrowd(ctx, yield); err != nil {
			return err
		}
	} else {
		n = k.ahead[0].Copies
		for _, e := range k.ahead[:n] {
			if !yield(Selected{Log: k.log, Event: e}, nil) {
				return errStop
			}
		}
	}
	if k.ahead = k.ahead[n:]; len(k.ahead) > 0 || k.ended {
		return nil
	}
	return k.fill(ctx)
}

// yieldCrowd yields copies that are too many to be read ahead.
func (k *cursor) yieldCrowd(ctx context.Context, yield func(Selected, error) bool) error {
	sequence := k.ahead[0].Link.Sequence
	for e, err := range k.c.Events(ctx, k.log, sequence, sequence) {
		if err != nil {
			return err
		}
		if !yield(Selected{Log: k.log, Event: e}, nil) {
			return errStop
		}
	}
	return nil
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

// Pop takes the last.
func (h *cursors) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
