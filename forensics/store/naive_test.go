package store_test

import (
	"bytes"
	"cmp"
	"context"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/store"
)

// naive answers the questions to a store by going through a list. Its numbers of sources are
// their places by content.
type naive struct{ copies []naiveCopy }

// naiveCopy is a copy of an event with all of its arrivals.
type naiveCopy struct {
	store.Selected
	line     *event.Line
	arrivals []facts.Delivery
}

func newNaive(all []drawn) *naive {
	ranks := map[int]int64{}
	order := []int{0, 1, 2}
	slices.SortFunc(order, func(a, b int) int { x, y := digestOf(a), digestOf(b); return bytes.Compare(x[:], y[:]) })
	for rank, source := range order {
		ranks[source] = int64(rank) + 1
	}
	n := &naive{}
	for i := range all {
		n.add(&all[i], i, ranks[all[i].source])
	}
	slices.SortFunc(n.copies, func(a, b naiveCopy) int {
		x, y := a.Digest(), b.Digest()
		return cmp.Or(a.Log.Compare(b.Log), cmp.Compare(a.Link.Sequence, b.Link.Sequence), bytes.Compare(x[:], y[:]))
	})
	for i := range n.copies {
		c := &n.copies[i]
		slices.SortFunc(c.arrivals, func(a, b facts.Delivery) int {
			return cmp.Or(cmp.Compare(a.Source, b.Source), strings.Compare(a.Container, b.Container),
				cmp.Compare(a.Record, b.Record))
		})
		c.Found, c.Deliveries, c.Ref = c.arrivals[0].Place, int64(len(c.arrivals)), facts.Ref{Log: 1}
		for _, same := range n.copies {
			if same.Log == c.Log && same.Link.Sequence == c.Link.Sequence {
				c.Copies++
			}
		}
		if i > 0 && n.copies[i-1].Log == c.Log && n.copies[i-1].Link.Sequence == c.Link.Sequence {
			c.Variant = n.copies[i-1].Variant + 1
		}
	}
	return n
}

// add adds an arrival.
func (n *naive) add(d *drawn, number int, source int64) {
	one := naiveCopy{line: d.line()}
	one.Log, one.Fidelity = drawnLogs[d.log], d.fidelity
	one.Link, one.Recorded, one.Signature = one.line.Link, one.line.Recorded, one.line.Signature
	one.KeyID, one.Type, one.OccurredAt = string(one.line.KeyID), string(one.line.Type), one.line.OccurredAt
	one.TransactionID = string(one.line.TransactionID)
	i := slices.IndexFunc(n.copies, func(c naiveCopy) bool { return c.Log == one.Log && c.Digest() == one.Digest() })
	if i < 0 {
		i = len(n.copies)
		n.copies = append(n.copies, one)
	}
	c, at := &n.copies[i], d.found(number)
	c.Fidelity = min(c.Fidelity, d.fidelity)
	c.arrivals = append(c.arrivals, facts.Delivery{Place: facts.Place{Source: source, Container: drawnBoxes[d.box],
		Offset: at.Offset, Length: at.Length, Record: at.Record}, Batches: d.batch, ObservedAt: d.observed})
}

// events are those with a copy that is wanted, each with all of its copies.
func (n *naive) events(wants func(*naiveCopy) bool) (all [][]naiveCopy) {
	for i := 0; i < len(n.copies); {
		same := n.copies[i : i+n.copies[i].Copies]
		i += len(same)
		if slices.ContainsFunc(same, func(c naiveCopy) bool { return wants(&c) }) {
			all = append(all, same)
		}
	}
	return all
}

// matching returns a function that reports whether a filter describes a copy.
func matching(f store.Filter) func(*naiveCopy) bool {
	first, last := f.Bounds()
	return func(c *naiveCopy) bool {
		return f.Wants(c.Log) && c.Link.Sequence >= first && c.Link.Sequence <= last && f.During(c.OccurredAt) &&
			(f.Type == "" || matchesGlob(f.Type, c.Type)) && (f.TransactionID == "" || f.TransactionID == c.TransactionID) &&
			(f.Content == "" || strings.Contains(strings.ReplaceAll(string(c.line.Data), `\"`, `"`)+"\n"+c.TransactionID+
				"\n"+c.Type, f.Content)) &&
			(f.Where == nil || f.Where.Matches(store.Candidate{Log: c.Log, Sequence: c.Link.Sequence, OccurredAt: c.OccurredAt,
				Type: c.Type, KeyID: c.KeyID, TransactionID: []byte(c.TransactionID), Data: c.line.Data}))
	}
}

// matchesGlob tries what "*" can be for.
func matchesGlob(pattern, text string) bool {
	switch {
	case pattern == "" || text == "" && pattern[0] != '*':
		return pattern == text
	case pattern[0] == '*':
		return matchesGlob(pattern[1:], text) || text != "" && matchesGlob(pattern, text[1:])
	}
	return pattern[0] == text[0] && matchesGlob(pattern[1:], text[1:])
}

func listed(events [][]naiveCopy) iter.Seq2[store.Selected, error] {
	return func(yield func(store.Selected, error) bool) {
		for _, same := range events {
			for _, c := range same {
				if !yield(c.Selected, nil) {
					return
				}
			}
		}
	}
}

func (n *naive) Select(_ context.Context, f store.Filter) iter.Seq2[store.Selected, error] {
	return listed(n.events(matching(f)))
}

func (n *naive) Find(_ context.Context, hash [32]byte) iter.Seq2[store.Selected, error] {
	return listed(n.events(func(c *naiveCopy) bool { return c.Recorded == hash }))
}

func (n *naive) SelectByTime(_ context.Context, f store.Filter) iter.Seq2[store.Selected, error] {
	rest := map[facts.Log][][]naiveCopy{}
	for _, same := range n.events(matching(f)) {
		rest[same[0].Log] = append(rest[same[0].Log], same)
	}
	var all [][]naiveCopy
	for len(rest) > 0 {
		var next []naiveCopy
		for _, events := range rest {
			if next == nil || cmp.Or(cmp.Compare(events[0][0].OccurredAt, next[0].OccurredAt),
				events[0][0].Log.Compare(next[0].Log)) < 0 {
				next = events[0]
			}
		}
		log := next[0].Log
		if all, rest[log] = append(all, next), rest[log][1:]; len(rest[log]) == 0 {
			delete(rest, log)
		}
	}
	return listed(all)
}

// in returns the copies of a log in a stretch.
func (n *naive) in(log facts.Log, s evidence.Stretch) (all []naiveCopy) {
	for _, c := range n.copies {
		if c.Log == log && c.Link.Sequence >= s.First && c.Link.Sequence <= s.Last {
			all = append(all, c)
		}
	}
	return all
}

func (n *naive) Around(_ context.Context, log facts.Log, first, last uint64) (before, after facts.Event, err error) {
	if below := n.in(log, evidence.Stretch{Last: first - min(first, 1)}); len(below) > 0 {
		end := below[len(below)-1]
		before = below[len(below)-end.Copies].Event
	}
	if above := n.in(log, evidence.Stretch{First: last + 1, Last: math.MaxInt64}); len(above) > 0 {
		after = above[0].Event
	}
	return before, after, nil
}

func (n *naive) Present(ctx context.Context, log facts.Log) iter.Seq2[evidence.Stretch, error] {
	return n.PresentIn(ctx, log, 0)
}

func (n *naive) PresentIn(_ context.Context, log facts.Log, source int64) iter.Seq2[evidence.Stretch, error] {
	return func(yield func(evidence.Stretch, error) bool) {
		var all []evidence.Stretch
		for _, c := range n.in(log, evidence.Stretch{Last: math.MaxInt64}) {
			at := c.Link.Sequence
			if source > 0 && !slices.ContainsFunc(c.arrivals, func(d facts.Delivery) bool { return d.Source == source }) {
				continue
			}
			if k := len(all) - 1; k >= 0 && all[k].Last+1 >= at {
				all[k].Last = at
			} else {
				all = append(all, evidence.Stretch{First: at, Last: at})
			}
		}
		for _, s := range all {
			if !yield(s, nil) {
				return
			}
		}
	}
}

func (n *naive) Sizes(_ context.Context, log facts.Log, in evidence.Stretch) (all store.Sizes, err error) {
	for i, c := range n.in(log, in) {
		size := int64(len(c.line.Body))
		if all.Largest = max(all.Largest, size); i == 0 || size < all.Smallest {
			all.Smallest = size
		}
	}
	return all, nil
}

func (n *naive) Batched(_ context.Context, log facts.Log, in evidence.Stretch) iter.Seq2[store.Batched, error] {
	var all []store.Batched
	for _, c := range n.in(log, in) {
		for _, d := range c.arrivals {
			if len(d.Batches) > 0 {
				all = append(all, store.Batched{Sequence: c.Link.Sequence, Hash: c.Recorded, Batches: d.Batches})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b store.Batched) int {
		return cmp.Or(cmp.Compare(a.Sequence, b.Sequence), bytes.Compare(a.Hash[:], b.Hash[:]),
			strings.Compare(facts.Batches(a.Batches), facts.Batches(b.Batches)))
	})
	return yielding(all)
}

func (n *naive) BatchShares(context.Context) iter.Seq2[store.BatchShare, error] {
	of := map[[2]any]*store.BatchShare{}
	var all []store.BatchShare
	for _, c := range n.copies {
		for _, d := range c.arrivals {
			seen := map[string]bool{}
			for _, b := range d.Batches {
				key := [2]any{b.ID, [2]any{c.Log, d.Source}}
				if of[key] == nil {
					of[key] = &store.BatchShare{ID: b.ID, TenantID: c.Log.TenantID, LogID: c.Log.LogID, Source: d.Source,
						First: c.Link.Sequence}
				}
				if of[key].Last = c.Link.Sequence; !seen[b.ID] {
					of[key].Deliveries++
				}
				seen[b.ID] = true
			}
		}
	}
	for _, s := range of {
		all = append(all, *s)
	}
	slices.SortFunc(all, func(a, b store.BatchShare) int {
		return cmp.Or(strings.Compare(a.ID, b.ID), strings.Compare(a.TenantID, b.TenantID),
			strings.Compare(a.LogID, b.LogID), cmp.Compare(a.Source, b.Source))
	})
	return yielding(all)
}

func yielding[T any](all []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, one := range all {
			if !yield(one, nil) {
				return
			}
		}
	}
}

// Line returns the line of the copy that a selection is of.
func (n *naive) Line(_ context.Context, s *store.Selected) ([]byte, error) {
	for _, c := range n.copies {
		if c.Log == s.Log && c.Digest() == s.Digest() {
			return evidence.LineOf(c.line), nil
		}
	}
	return nil, nil
}
