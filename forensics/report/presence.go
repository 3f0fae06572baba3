package report

import (
	"context"
	"math"

	"github.com/svc-edge/svc-verify/forensics/casefile"
)

// presence is what one pass over a log keeps: which sequences are there, and
// how each was delivered.
type presence struct {
	columns   *histogram
	stretches []Stretch
	count     int // of stretches
	run       Stretch

	oldest, newest int64 // times of events as they first arrived, milliseconds since 1970
	earliest       arrival
	arrived        bool
	out            *deliveries
}

// pass goes once over the arrivals of a log.
func (g *gatherer) pass(ctx context.Context, log casefile.Log) (*presence, error) {
	p := &presence{columns: newHistogram(Columns), oldest: math.MaxInt64, newest: math.MinInt64, out: g.out}
	for same, err := range g.c.Arrivals().Of(ctx, log) {
		if err != nil {
			return nil, err
		}
		p.sequence(same[0].Sequence)
		for _, a := range same {
			p.arrive(arrivalOf(a, g.places[a.Source]))
		}
		p.flush()
	}
	p.endRun()
	return p, nil
}

// sequence takes in the next sequence.
func (p *presence) sequence(n uint64) {
	p.columns.add(int64(n)-1, tally{first: 1})
	if p.run.Last+1 == n && p.run.First > 0 {
		p.run.Last = n
		return
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

// arrive takes in a delivery of the present sequence. The earliest is the first,
// all others are further ones.
func (p *presence) arrive(a arrival) {
	switch {
	case !p.arrived:
		p.earliest, p.arrived = a, true
	case a.compare(p.earliest) < 0:
		p.out.add(p.earliest, tally{again: 1})
		p.earliest = a
	default:
		p.out.add(a, tally{again: 1})
	}
}

// flush counts the first delivery of the sequence that ends, and takes the event
// to have occurred when the copy says that came with it.
func (p *presence) flush() {
	p.out.add(p.earliest, tally{first: 1})
	p.oldest, p.newest = min(p.oldest, p.earliest.occurred), max(p.newest, p.earliest.occurred)
	p.arrived = false
}

// result is what is shown, in a picture that reaches up to a sequence.
func (p *presence) result(upTo uint64) Presence {
	out := Presence{Last: max(upTo, p.run.Last), ColumnSize: uint64(p.columns.width()), Columns: []Column{},
		Stretches: append([]Stretch{}, p.stretches...), More: p.count - len(p.stretches), end: p.run.Last}
	for _, cell := range p.columns.order() {
		out.Columns = append(out.Columns,
			Column{uint64(cell<<p.columns.shift) + 1, uint64(p.columns.cells[cell].first)})
	}
	return out
}
