package walk

import (
	"context"
	"iter"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// Stretched is a [Reader] that knows which events are a series.
type Stretched interface {
	Reader

	// Stretches yields the same as Events, with as many events in series as it can. A stretch
	// is valid until the next one. The first series may begin below the events.
	Stretches(ctx context.Context, log facts.Log, after uint64) iter.Seq2[facts.Stretch, error]
}

// stretches yields the events of a log above a sequence.
func (p *pipeline) stretches(ctx context.Context, after uint64) iter.Seq2[facts.Stretch, error] {
	if r, ok := p.reader.(Stretched); ok {
		return r.Stretches(ctx, p.log, after)
	}
	return func(yield func(facts.Stretch, error) bool) {
		for e, err := range p.reader.Events(ctx, p.log, after) {
			if !yield(facts.Stretch{Event: e}, err) {
				return
			}
		}
	}
}

// examineSeries judges a series. It returns nil if its events have to be judged one by
// one: if they are not the owner's, or a time is too far before the one ahead of it.
func (g *judge) examineSeries(ctx context.Context, given *facts.Series) (*section, error) {
	first, last := &judged{Event: given.First}, &judged{Event: given.Last}
	g.identify(g.log, first)
	if first.owner != pinned || given.Back > tolerance {
		return nil, nil
	}
	last.owner, last.key = first.owner, first.key
	n := given.Last.Sequence
	one := series{segment: chain.OfSeries(&given.Links), first: first, last: last, events: n - given.First.Sequence + 1}
	s := &section{last: n, pieces: []piece{{series: one}}}
	for _, n := range chain.Way(n, 0) {
		if n < given.First.Sequence {
			break
		}
		s.offers = append(s.offers, chain.Anchor{Sequence: n, Hash: given.Links.Recorded(n)})
	}
	i, _ := slices.BinarySearch(g.anchored, given.First.Sequence)
	for ; i < len(g.anchored) && g.anchored[i] <= n; i++ {
		s.known = append(s.known, chain.Anchor{Sequence: g.anchored[i], Hash: given.Links.Recorded(g.anchored[i])})
	}
	s.tally = tally{
		keys: []KeyUse{{Kind: facts.SignedEvents, KeyID: first.KeyID, Pinned: true, Count: one.events, Hold: one.events,
			Intact: one.events, First: given.First.Sequence, Last: n}},
		seam: seam{first: given.First.Sequence, last: n, genuine: []chain.Hash{last.Computed}}}
	var err error
	s.reports, err = g.reportsIn(ctx, given)
	if !slices.ContainsFunc(s.reports, func(r headReport) bool { return !r.signatureHolds() }) {
		s.tally.sound = []Range{{given.First.Sequence, n}}
	}
	return s, err
}

// reportsIn reads and verifies the reports in a series of a tenant log.
func (g *judge) reportsIn(ctx context.Context, given *facts.Series) ([]headReport, error) {
	if !g.log.IsTenant() {
		return nil, nil
	}
	sequences := given.Typed(event.NodeReported)
	copies := make([]judged, len(sequences))
	for i, n := range sequences {
		copies[i].Event = given.At(n)
	}
	g.identifyAll(g.log, copies)
	return g.reports(ctx, copies)
}
