package examine

import (
	"cmp"
	"context"
	"math"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/form"
)

// choice chooses one copy for each sequence of a log, without any key: the copies of
// neighbouring sequences that differ are a run, and of all ways through a run it chooses the
// one that leads to the head that the newest walk found, or else the one with the most links.
// It needs a few bytes for each copy of one run.
type choice struct {
	c    *store.Case
	log  facts.Log
	head chain.Anchor // by the newest walk, the zero value if there was none
	run  []pick       // chosen and not yet requested, ascending

	contested, guessed int64
}

// pick is the copy that was chosen for a sequence.
type pick struct {
	sequence uint64
	variant  int
	guessed  bool
}

func newChoice(ctx context.Context, c *store.Case, log facts.Log) (*choice, error) {
	out := &choice{c: c, log: log}
	last, err := verdict.Last(ctx, c, chain.Hash{})
	if err != nil || last == nil {
		return out, err
	}
	for _, l := range last.Logs {
		if hash, ok := form.Digest(l.HeadHash); ok && l.LogID == log.LogID && l.TenantID == log.TenantID {
			out.head = chain.Anchor{Sequence: l.LastSequence, Hash: hash}
		}
	}
	return out, nil
}

// wants reports whether a copy is the one of its sequence to take. The copies are requested in
// their order.
func (c *choice) wants(ctx context.Context, e *facts.Event) (bool, error) {
	if e.Copies < 2 {
		return true, nil
	}
	for len(c.run) > 0 && c.run[0].sequence < e.Link.Sequence {
		c.run = c.run[1:]
	}
	if len(c.run) == 0 {
		if err := c.choose(ctx, e.Link.Sequence); err != nil {
			return false, err
		}
	}
	p := c.run[0]
	if e.Variant != p.variant {
		return false, nil
	}
	c.contested++
	if p.guessed {
		c.guessed++
	}
	return true, nil
}

// way is the best way through a run to one copy.
type way struct {
	hash   chain.Hash // of the copy's content
	back   int        // the copy of the sequence before
	tied   bool       // another one there would do as well
	headed bool       // the way comes by the head of the log
	links  int        // from copy to copy
	intact int        // copies whose content gives their hash
}

// compare orders ways by the evidence for them.
func (a *way) compare(b *way) int {
	order := map[bool]int{true: 1}
	return cmp.Or(cmp.Compare(order[a.headed], order[b.headed]), cmp.Compare(a.links, b.links),
		cmp.Compare(a.intact, b.intact))
}

// step is one sequence of a run: for each copy the one to go back to.
type step struct {
	sequence uint64
	back     []int32
	tied     []bool
}

// choose finds the best way through the run from a sequence on, which ends where there is only
// one copy, and decides there which of the ways was right.
func (c *choice) choose(ctx context.Context, from uint64) error {
	var steps []step
	var ways []way
	var before front
	last := uint64(0)
	for e, err := range c.c.Events(ctx, c.log, max(from, 2)-1, math.MaxInt64) {
		if err != nil {
			return err
		}
		if e.Variant == 0 {
			if len(ways) == 1 && last > from {
				break
			}
			before = newFront(ways, e.Link.Sequence == last+1)
			last, ways = e.Link.Sequence, nil
			steps = append(steps, step{sequence: last})
		}
		w := c.onward(e, &before)
		ways = append(ways, w)
		s := &steps[len(steps)-1]
		s.back, s.tied = append(s.back, int32(w.back)), append(s.tied, w.tied)
	}
	end := newFront(ways, false)
	c.run = goBack(steps, end.best, from)
	return nil
}

// front is the ways to the copies of one sequence.
type front struct {
	ways  []way
	best  option
	named map[chain.Hash]option // the best to a copy of a hash, which the next event can name
}

// option is one of several ways.
type option struct {
	at   int
	tied bool // another one is as good
}

func newFront(ways []way, adjacent bool) front {
	f := front{ways: ways, named: map[chain.Hash]option{}}
	for i := range ways {
		f.best = f.better(f.best, i)
		if !adjacent {
			continue
		}
		o, ok := f.named[ways[i].hash]
		if !ok {
			o.at = i
		}
		f.named[ways[i].hash] = f.better(o, i)
	}
	return f
}

// better replaces an option by a way that has more in its favour.
func (f *front) better(o option, i int) option {
	if i == o.at {
		return o
	}
	switch d := f.ways[i].compare(&f.ways[o.at]); {
	case d > 0:
		return option{at: i}
	case d == 0:
		o.tied = true
	}
	return o
}

// onward is the best way to a copy, out of those to the copies before it.
func (c *choice) onward(e *facts.Event, before *front) way {
	from, link := before.best, 0
	o, linked := before.named[e.Link.Previous]
	if linked && (before.ways[o.at].headed || !before.ways[from.at].headed) {
		from, link = o, 1
	}
	out := way{hash: e.ContentHash(), back: from.at, tied: from.tied}
	if len(before.ways) > 0 {
		w := &before.ways[from.at]
		out.headed, out.links, out.intact = w.headed, w.links+link, w.intact
	}
	if out.hash == e.Recorded {
		out.intact++
	}
	out.headed = out.headed || c.head == chain.Anchor{Sequence: e.Link.Sequence, Hash: out.hash}
	return out
}

// goBack picks the copies of a run from its end. A pick before a guess is a guess as well.
func goBack(steps []step, end option, from uint64) []pick {
	picks := make([]pick, len(steps))
	for i := len(steps) - 1; i >= 0; i-- {
		s := &steps[i]
		picks[i] = pick{s.sequence, end.at, end.tied}
		end = option{int(s.back[end.at]), end.tied || s.tied[end.at]}
	}
	for len(picks) > 0 && picks[0].sequence < from {
		picks = picks[1:]
	}
	return picks
}
