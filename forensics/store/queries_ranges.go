package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/forensics/partview"
)

// Around returns the neighbours of a range of a log: the last event below first and
// the first event above last. If a sequence has several copies, it returns the
// first. If there is no such event, its Ref is zero. The events have no transaction id.
func (q *Queries) Around(ctx context.Context, log facts.Log, first, last uint64) (before, after facts.Event,
	err error) {
	if first > 1 { // it is mostly the one just below
		before, err = q.firstIn(ctx, log, evidence.Stretch{First: first - 1, Last: first - 1})
	}
	if err == nil && before.Ref.IsZero() {
		var below uint64
		if below, err = q.lastBelow(ctx, log, first); err == nil && below > 0 {
			before, err = q.firstIn(ctx, log, evidence.Stretch{First: below, Last: below})
		}
	}
	if err == nil && last < math.MaxInt64 {
		after, err = q.firstIn(ctx, log, evidence.Stretch{First: last + 1, Last: last + 1})
	}
	if err == nil && after.Ref.IsZero() && last < math.MaxInt64 {
		after, err = q.firstIn(ctx, log, evidence.Stretch{First: last + 1, Last: math.MaxInt64})
	}
	return before, after, err
}

// lastBelow returns the highest sequence of a log below one, 0 if there is none. It looks ever
// further down for some, and then halves where the highest can be.
func (q *Queries) lastBelow(ctx context.Context, log facts.Log, end uint64) (n uint64, err error) {
	some := false
	for width := uint64(1); end > 0 && !some; width *= 2 {
		from := end - min(end, width)
		if n, some, err = q.nextBelow(ctx, log, from, end); err != nil || !some && from == 0 {
			return 0, err
		}
	}
	for low, high := n, end; some && high-low > 1; {
		middle := low + (high-low)/2
		next, above, err := q.nextBelow(ctx, log, middle, end)
		switch {
		case err != nil:
			return 0, err
		case above:
			low, n = next, next
		default:
			high = middle
		}
	}
	return n, nil
}

// nextBelow returns the lowest sequence of a log from one on and below another.
func (q *Queries) nextBelow(ctx context.Context, log facts.Log, from, end uint64) (n uint64, some bool, err error) {
	for c, err := range q.f.Content.Copies(ctx, log, from) {
		if err != nil {
			return 0, false, err
		}
		return c.Sequence, c.Sequence < end, nil
	}
	return 0, false, nil
}

// firstIn returns the first copy in a stretch of a log; the zero Event if there is none.
func (q *Queries) firstIn(ctx context.Context, log facts.Log, in evidence.Stretch) (e facts.Event, err error) {
	err = q.v.EachCopy(ctx, log, in, func(c partview.Copy) error {
		e = q.v.EventOf(log, c)
		return evidence.ErrStop
	})
	if errors.Is(err, evidence.ErrStop) {
		err = nil
	}
	return e, err
}

// Present yields the sequences of a log that have events, as ranges without a gap,
// ascending.
func (q *Queries) Present(ctx context.Context, log facts.Log) iter.Seq2[evidence.Stretch, error] {
	return q.yieldPresent(ctx, log, func([]part.Arrival) bool { return true })
}

// PresentIn is [Queries.Present] for the events that one source delivered, first or again.
func (q *Queries) PresentIn(ctx context.Context, log facts.Log, source int64) iter.Seq2[evidence.Stretch, error] {
	return q.yieldPresent(ctx, log, func(all []part.Arrival) bool {
		return slices.ContainsFunc(all, func(a part.Arrival) bool { return q.v.PlaceOf(a.Place).Source == source })
	})
}

// yieldPresent yields the sequences with a copy that arrived as requested.
func (q *Queries) yieldPresent(ctx context.Context, log facts.Log,
	wants func([]part.Arrival) bool) iter.Seq2[evidence.Stretch, error] {
	return evidence.Stream(func(yield func(evidence.Stretch) error) error {
		var s evidence.Stretch
		open := false
		for one, err := range q.f.Content.Stretches(ctx, log, 0, part.Judging{}) {
			if err != nil {
				return err
			}
			next, arrivals := evidence.Stretch{}, []part.Arrival(nil)
			if one.Series != nil { // each of its events arrived where the first did
				next, arrivals = evidence.Stretch{First: one.Series.First, Last: one.Series.Last}, one.Series.Begins
			} else {
				next, arrivals = evidence.Stretch{First: one.Copy.Sequence, Last: one.Copy.Sequence}, one.Copy.Arrivals
			}
			if !wants(arrivals) {
				continue
			}
			if open && next.First <= s.Last+1 {
				s.Last = max(s.Last, next.Last)
				continue
			}
			if open {
				if err := yield(s); err != nil {
					return err
				}
			}
			s, open = next, true
		}
		if open {
			return yield(s)
		}
		return nil
	})
}

// Sizes returns the smallest and the largest body in a stretch of a log; zeros if there is
// none.
func (q *Queries) Sizes(ctx context.Context, log facts.Log, in evidence.Stretch) (all Sizes, err error) {
	some := false
	return all, q.v.EachCopy(ctx, log, in, func(c partview.Copy) error {
		if !some {
			all, some = Sizes{Smallest: c.Size, Largest: c.Size}, true
		}
		all.Smallest, all.Largest = min(all.Smallest, c.Size), max(all.Largest, c.Size)
		return nil
	})
}

// Batched yields every arrival under a batch id of the copies in a stretch of a log,
// ascending by sequence, hash and ids.
func (q *Queries) Batched(ctx context.Context, log facts.Log,
	in evidence.Stretch) iter.Seq2[Batched, error] {
	return evidence.Stream(func(yield func(Batched) error) error {
		var same []batchedText // of one sequence
		end := func() error {
			slices.SortFunc(same, batchedText.compare)
			for _, one := range same {
				ids, err := facts.ParseBatches(one.batch)
				if err == nil {
					err = yield(Batched{Sequence: one.sequence, Hash: one.hash, Batches: ids})
				}
				if err != nil {
					return err
				}
			}
			same = same[:0]
			return nil
		}
		err := q.v.EachCopy(ctx, log, in, func(c partview.Copy) error {
			if len(same) > 0 && same[0].sequence != c.Sequence {
				if err := end(); err != nil {
					return err
				}
			}
			for i := range c.Arrivals {
				if batch := c.Arrivals[i].Batch; batch != "" {
					same = append(same, batchedText{c.Sequence, c.Recorded, batch})
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		return end()
	})
}

// batchedText is an arrival under batch ids, as they are kept.
type batchedText struct {
	sequence uint64
	hash     [32]byte
	batch    string
}

func (b batchedText) compare(o batchedText) int {
	return cmp.Or(bytes.Compare(b.hash[:], o.hash[:]), strings.Compare(b.batch, o.batch))
}
