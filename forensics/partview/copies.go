package partview

import (
	"context"
	"slices"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
)

// contextEvery is how many copies are read between two looks at the context.
const contextEvery = 1024

// mostTogether bounds the copies of one sequence that are held until their number is known.
// The copies of a larger crowd are counted first.
const mostTogether = 64

// which describes which of the copies of its sequence a copy is, and how many there are.
type which struct{ variant, copies int }

// copies calls f with each copy of the events of a log within sequences, until f
// returns an error. A copy is valid during the call.
func (v *View) copies(ctx context.Context, log facts.Log, from, to uint64, f func(*part.Copy, which) error) error {
	g := groups{count: func(sequence uint64) (int, error) { return v.countCopies(ctx, log, sequence) }, f: f}
	if to-from < nearBelow {
		held, near, err := v.nearby.copiesWithin(ctx, v.content, log, from, to)
		if near {
			return g.addAll(held)
		}
		if err != nil {
			return err
		}
	}
	n := 0
	for c, err := range v.content.Copies(ctx, log, from) {
		if err != nil {
			return err
		}
		if n++; n%contextEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if c.Sequence > to {
			break
		}
		if err := g.addCopy(c); err != nil {
			return err
		}
	}
	return g.flushCopies()
}

// stretches calls f with each copy of the events of a log from a sequence on, and
// series with those that are together in one, until one returns an error. The first
// series may begin below the sequence.
func (v *View) stretches(ctx context.Context, log facts.Log, from uint64, f func(*part.Copy, which) error,
	series func(*part.Series) error) error {
	g := groups{count: func(sequence uint64) (int, error) { return v.countCopies(ctx, log, sequence) }, f: f}
	n := 0
	for s, err := range v.content.Stretches(ctx, log, from, v.judging(log)) {
		if err != nil {
			return err
		}
		if n++; n%contextEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if s.Series == nil {
			err = g.addCopy(s.Copy)
		} else if err = g.flushCopies(); err == nil {
			err = v.seriesOrCopies(ctx, log, s.Series, from, f, series)
		}
		if err != nil {
			return err
		}
	}
	return g.flushCopies()
}

// seriesOrCopies calls f with a series, or with its copies if it is not judged.
func (v *View) seriesOrCopies(ctx context.Context, log facts.Log, s *part.Series, from uint64,
	f func(*part.Copy, which) error, series func(*part.Series) error) error {
	if s.Judged() {
		return series(s)
	}
	return v.copies(ctx, log, max(from, s.First), s.Last, f)
}

// countCopies counts the copies of a sequence.
func (v *View) countCopies(ctx context.Context, log facts.Log, sequence uint64) (n int, err error) {
	for c, err := range v.content.Copies(ctx, log, sequence) {
		if err != nil || c.Sequence != sequence {
			return n, err
		}
		if n++; n%contextEvery == 0 && ctx.Err() != nil {
			return n, ctx.Err()
		}
	}
	return n, nil
}

// groups finds out of how many copies of its sequence each copy is one.
type groups struct {
	count func(sequence uint64) (int, error)
	f     func(*part.Copy, which) error

	last  *part.Copy  // the one before, if nothing is held
	held  []part.Copy // copies of one sequence; the memory of all that were
	n     int         // how many there are
	crowd which       // of the sequence in held, if there are too many
}

// addCopy adds the next copy.
func (g *groups) addCopy(c *part.Copy) error {
	if last := g.last; last != nil {
		if last.Sequence != c.Sequence {
			g.last = c
			return g.f(last, which{0, 1})
		}
		g.last = nil
		g.holdCopy(last)
	}
	if g.n > 0 && g.held[0].Sequence != c.Sequence {
		if err := g.flushCopies(); err != nil {
			return err
		}
	}
	if g.n == 0 {
		g.last = c
		return nil
	}
	if g.n == mostTogether {
		if err := g.countFirst(c.Sequence); err != nil {
			return err
		}
	}
	if g.crowd.copies > 0 {
		g.crowd.variant++
		return g.f(c, g.crowd)
	}
	g.holdCopy(c)
	return nil
}

// addAll adds copies, and then there are no more.
func (g *groups) addAll(copies []part.Copy) error {
	for i := range copies {
		if err := g.addCopy(&copies[i]); err != nil {
			return err
		}
	}
	return g.flushCopies()
}

func (g *groups) holdCopy(c *part.Copy) {
	if g.n++; g.n > len(g.held) {
		g.held = append(g.held, part.Copy{})
	}
	copyInto(&g.held[g.n-1], c)
}

// copyInto copies a copy into memory of its own.
func copyInto(to, from *part.Copy) {
	arrivals := append(to.Arrivals[:0], from.Arrivals...)
	*to = *from
	to.Arrivals = arrivals
}

// countFirst counts all copies of a sequence. Then it hands on the copies that it holds.
func (g *groups) countFirst(sequence uint64) error {
	if g.crowd.copies > 0 {
		return nil
	}
	n, err := g.count(sequence)
	if err != nil {
		return err
	}
	for i := range g.held[:g.n] {
		if err := g.f(&g.held[i], which{i, n}); err != nil {
			return err
		}
	}
	g.crowd = which{g.n - 1, n}
	return nil
}

// flushCopies hands on the copies that are held, or the last one.
func (g *groups) flushCopies() error {
	if last := g.last; last != nil {
		g.last = nil
		return g.f(last, which{0, 1})
	}
	n := g.n
	if g.n = 0; g.crowd.copies > 0 {
		g.crowd = which{}
		return nil
	}
	for i := range g.held[:n] {
		if err := g.f(&g.held[i], which{i, n}); err != nil {
			return err
		}
	}
	return nil
}

// bestFidelity returns the best of the arrivals of a copy.
func bestFidelity(c *part.Copy) facts.Fidelity {
	if len(c.Arrivals) == 0 {
		return 0
	}
	best := c.Arrivals[0].Fidelity
	for i := range c.Arrivals[1:] {
		best = min(best, c.Arrivals[i+1].Fidelity)
	}
	return best
}

// containers appends the numbers of the containers that have a copy, ascending.
func (s *sources) containersOf(all []int64, c *part.Copy) []int64 {
	for i := range c.Arrivals {
		all = append(all, s.containerOf(c.Arrivals[i].Place))
	}
	if len(all) > 1 {
		slices.Sort(all)
		all = slices.Compact(all)
	}
	return all
}
