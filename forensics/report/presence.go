package report

import (
	"context"
	"math"

	"github.com/svc-edge/svc-verify/forensics/facts"
)

// presence is the result of one pass over a log: which sequences are there, and how each was
// delivered.
type presence struct {
	stretches []Stretch
	count     int // of stretches
	run       Stretch

	times  *histogram          // of events, in milliseconds
	holes  []Mark              // the first missing ranges, with the times of their neighbours
	wanted []uint64            // sequences whose times are requested, ascending
	beside map[uint64][2]int64 // times of the nearest events, up to a wanted sequence and from it on
	before int64               // time of the event before the present one

	oldest, newest int64 // times of events as they first arrived, milliseconds since 1970
	earliest       arrival
	arrived        bool
	out            *deliveries
}

// passOverLog goes once over the arrivals of a log, and looks up the times of some sequences, which ascend.
func (g *gatherer) passOverLog(ctx context.Context, log facts.Log, wanted []uint64) (*presence, error) {
	p := &presence{times: newHistogram(mostTimes), wanted: wanted,
		beside: map[uint64][2]int64{}, oldest: math.MaxInt64, newest: math.MinInt64, out: g.out}
	for same, err := range g.c.Arrivals(ctx, log) {
		if err != nil {
			return nil, err
		}
		p.addSequence(same[0].Sequence)
		for _, a := range same {
			p.addDelivery(arrival{a.ObservedAt, a.OccurredAt, g.places[a.Source], a.Record})
		}
		p.countFirst()
	}
	p.endPass()
	return p, nil
}

func (p *presence) endPass() {
	for _, w := range p.wanted {
		p.beside[w] = [2]int64{p.before, 0}
	}
	p.endRun()
}

// addSequence adds the next sequence.
func (p *presence) addSequence(n uint64) {
	if p.run.Last+1 == n && p.run.First > 0 {
		p.run.Last = n
		return
	}
	if n > p.run.Last+1 && len(p.holes) < mostStretches {
		p.holes = append(p.holes, Mark{Kind: Missing, First: p.run.Last + 1, Last: n - 1, Count: 1, FromMS: p.before})
	}
	p.endRun()
	p.run = Stretch{n, n}
}

func (p *presence) endRun() {
	if p.run.First == 0 {
		return
	}
	p.count++
	if len(p.stretches) < mostStretches {
		p.stretches = append(p.stretches, p.run)
	}
}

// addDelivery adds a delivery of the present sequence. The earliest is the first, all others are
// further ones.
func (p *presence) addDelivery(a arrival) {
	switch {
	case !p.arrived:
		p.earliest, p.arrived = a, true
	case a.compareArrivals(p.earliest) < 0:
		p.out.countDelivery(p.earliest, tally{again: 1})
		p.earliest = a
	default:
		p.out.countDelivery(a, tally{again: 1})
	}
}

// countFirst counts the first delivery of the sequence that ends, and assumes the event's time in
// the copy that came with it.
func (p *presence) countFirst() {
	at, now := p.earliest.occurred, p.run.Last
	p.out.countDelivery(p.earliest, tally{first: 1})
	p.times.countValue(at, tally{first: 1})
	p.oldest, p.newest = min(p.oldest, at), max(p.newest, at)
	for ; len(p.wanted) > 0 && p.wanted[0] < now; p.wanted = p.wanted[1:] {
		p.beside[p.wanted[0]] = [2]int64{p.before, at}
	}
	if len(p.wanted) > 0 && p.wanted[0] == now {
		p.beside[now], p.wanted = [2]int64{at, at}, p.wanted[1:]
	}
	if n := len(p.holes); n > 0 && p.holes[n-1].Last+1 == now {
		p.holes[n-1].UntilMS = at
	}
	p.arrived, p.before = false, at
}

// timesOf returns when the events of a log occurred.
func (p *presence) timesOf() Times {
	t := Times{BucketMS: p.times.cellWidth()}
	for _, cell := range p.times.filledCells() {
		t.Buckets = append(t.Buckets, timeCount{cell << p.times.shift, p.times.cells[cell].first})
	}
	return t
}

// asPresence returns the events that the case holds of a log that reaches up to a sequence.
func (p *presence) asPresence(upTo uint64) Presence {
	return Presence{Last: max(upTo, p.run.Last), Stretches: p.stretches,
		More: p.count - len(p.stretches), end: p.run.Last}
}
