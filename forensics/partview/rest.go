package partview

import (
	"context"
	"iter"
	"slices"
	"sync"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
)

// Skips yields the spans that could not be read, in the order of their places. Of one source,
// the spans in an archive with several files are all held at once.
func (v *View) Skips(ctx context.Context) iter.Seq2[facts.Skip, error] {
	return evidence.Stream(func(yield func(facts.Skip) error) error {
		var held []facts.Skip // of one source
		end := func() error {
			slices.SortStableFunc(held, func(a, b facts.Skip) int { return comparePlaces(a.Place, b.Place) })
			for _, s := range held {
				if err := yield(s); err != nil {
					return err
				}
			}
			held = held[:0]
			return nil
		}
		for s, err := range v.content.Skips(ctx) {
			if err == nil && len(held) > 0 && held[0].Source != v.shares[s.Share].source {
				err = end()
			}
			if err != nil {
				return err
			}
			held = append(held, v.skipOf(s))
		}
		return end()
	})
}

// skipOf returns a span as a case has it.
func (v *View) skipOf(s *part.Skip) facts.Skip {
	place := v.placeOf(s.Place)
	return facts.Skip{Place: place, Code: finding.Current(s.Code), Detail: s.Detail, Excerpt: slices.Clone(s.Excerpt),
		Spans: s.Spans, Through: max(place.Record, v.shares[s.Share].record+s.Through)}
}

// hidden are the spans of each source that can hide an event, by record. They are read on
// first use.
type hidden struct {
	mu   sync.Mutex
	of   map[int64][]facts.Skip
	many map[int64][]int // the indexes of those that stand for many
}

func (h *hidden) in(ctx context.Context, v *View, source int64) ([]facts.Skip, []int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.of != nil {
		return h.of[source], h.many[source], nil
	}
	of, many := map[int64][]facts.Skip{}, map[int64][]int{}
	for s, err := range v.content.Skips(ctx) {
		if err != nil {
			return nil, nil, err
		}
		skip := v.skipOf(s)
		if !skip.Hides() {
			continue
		}
		in := v.shares[s.Share].source
		if s.Spans > 1 {
			many[in] = append(many[in], len(of[in]))
		}
		of[in] = append(of[in], skip)
	}
	h.of, h.many = of, many
	return of[source], many[source], nil
}

// HiddenBetween yields the unreadable spans between two records of a source that can
// hide an event, in the order of their records. Spans that begin before the first of
// the two records come first, latest first.
func (v *View) HiddenBetween(ctx context.Context, source, before, after int64) iter.Seq2[facts.Skip, error] {
	return evidence.Stream(func(yield func(facts.Skip) error) error {
		all, many, err := v.hidden.in(ctx, v, source)
		if err != nil {
			return err
		}
		for _, i := range slices.Backward(many) {
			if s := all[i]; s.Record <= before && s.Through > before {
				if err := yield(s); err != nil {
					return err
				}
			}
		}
		first, _ := slices.BinarySearchFunc(all, before+1, func(s facts.Skip, n int64) int { return int(s.Record - n) })
		for ; first < len(all) && all[first].Record < after; first++ {
			if err := yield(all[first]); err != nil {
				return err
			}
		}
		return nil
	})
}

// Batches yields the batches, ascending by id.
func (v *View) Batches(ctx context.Context) iter.Seq2[facts.Batch, error] {
	return evidence.Stream(func(yield func(facts.Batch) error) error {
		var b facts.Batch
		for run, err := range v.content.Batches(ctx) {
			if err != nil {
				return err
			}
			if b.Stretches > 0 && run.ID != b.ID {
				if err := yield(b); err != nil {
					return err
				}
				b = facts.Batch{}
			}
			addRun(&b, run)
		}
		if b.Stretches > 0 {
			return yield(b)
		}
		return nil
	})
}

// addRun adds the next run of events of a batch.
func addRun(b *facts.Batch, run *part.Batch) {
	if b.Stretches == 0 {
		b.ID, b.TenantID, b.LogID, b.First = run.ID, run.Log.TenantID, run.Log.LogID, run.First
	}
	if b.TenantID == run.Log.TenantID && b.LogID == run.Log.LogID {
		b.Last = run.Last
	}
	b.Stretches++
	b.Events += run.Events
	b.Deliveries += run.Deliveries
	b.Redelivered += run.Redelivered
	b.Differing += run.Differing
	if whole := run.Genuine > 0 && run.Genuine == run.Events-run.Differing; whole {
		b.Genuine = run.Genuine
	} else {
		b.Genuine = max(b.Genuine, run.Genuine)
	}
}

// Unbatched returns how many events were delivered without a batch id. Journals have no
// batch ids, so events of containers in the format journal do not count.
func (v *View) Unbatched(ctx context.Context, journal string) (n int64, err error) {
	for _, c := range v.containers {
		if c.Format != journal {
			n += c.Unbatched
		}
	}
	return n, ctx.Err()
}
