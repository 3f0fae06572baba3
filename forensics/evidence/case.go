package evidence

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"sync"

	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// arrivals has the queries about how evidence came into a case.
type arrivals = casefile.Arrivals

// Case is a case as a [Reader].
type Case struct {
	*casefile.Case
	arrivals

	mu     sync.Mutex
	bodies []*casefile.Bodies // that nobody uses
}

var _ Reader = (*Case)(nil)

// OfCase returns a reader of an open case. Close it before the case.
func OfCase(c *casefile.Case) *Case { return &Case{Case: c, arrivals: c.Arrivals()} }

// Close frees what the reader opened. The case stays open.
func (c *Case) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var err error
	for _, b := range c.bodies {
		err = errors.Join(err, b.Close())
	}
	c.bodies = nil
	return err
}

// withBodies calls f with a reader of bytes: that which was used last, if nobody uses
// it now.
func (c *Case) withBodies(f func(*casefile.Bodies) error) error {
	b, err := c.take()
	if err != nil {
		return err
	}
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.bodies = append(c.bodies, b)
	}()
	return f(b)
}

func (c *Case) take() (*casefile.Bodies, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.bodies); n > 0 {
		b := c.bodies[n-1]
		c.bodies = c.bodies[:n-1]
		return b, nil
	}
	return c.Bodies()
}

// Events yields the copies of the events of a log.
func (c *Case) Events(ctx context.Context, log casefile.Log, from, to uint64) iter.Seq2[*facts.Event, error] {
	return c.EventsInPlace(ctx, log, from, to)
}

// Said calls f with what the data of each event says.
func (c *Case) Said(ctx context.Context, log casefile.Log, events []casefile.Typed,
	f func(i int, s *Said) error) error {
	return c.withBodies(func(b *casefile.Bodies) error {
		return b.Data(ctx, log, events, func(i int, data []byte) error {
			e := &events[i]
			s, ok := ReadSaid(e.Type, data)
			if !ok {
				return fmt.Errorf("event %d of %s: its data is not what %s has", e.Link.Sequence, log.LogID, e.Type)
			}
			return f(i, &s)
		})
	})
}

// Explains compares the bytes of two copies.
func (c *Case) Explains(ctx context.Context, genuine, copied facts.Ref) (explains bool, err error) {
	return explains, c.withBodies(func(b *casefile.Bodies) error {
		lines := [2][]byte{}
		for i, ref := range []facts.Ref{genuine, copied} {
			e, err := c.Copy(ctx, ref)
			if err != nil {
				return err
			}
			if lines[i], err = b.Line(ctx, e); err != nil {
				return err
			}
		}
		explains = LossExplains(lines[0], lines[1])
		return nil
	})
}

// Arrivals yields the arrivals of a log by sequence.
func (c *Case) Arrivals(ctx context.Context, log casefile.Log) iter.Seq2[[]casefile.Arrived, error] {
	return c.Of(ctx, log)
}

// Stretches yields the events one by one.
func (c *Case) Stretches(ctx context.Context, log casefile.Log, from uint64) iter.Seq2[facts.Stretch, error] {
	return func(yield func(facts.Stretch, error) bool) {
		for e, err := range c.Events(ctx, log, from, math.MaxInt64) {
			if !yield(facts.Stretch{Event: e}, err) {
				return
			}
		}
	}
}

// PlacedStretches yields the events one by one.
func (c *Case) PlacedStretches(ctx context.Context, log casefile.Log) iter.Seq2[facts.Stretch, error] {
	return c.Placed(ctx, log, 1, math.MaxInt64)
}

// Present yields the sequences of a log that have events.
func (c *Case) Present(ctx context.Context, log casefile.Log) iter.Seq2[casefile.Stretch, error] {
	return c.Case.Stretches(ctx, log)
}

// PresentIn yields the sequences of a log that one source delivered.
func (c *Case) PresentIn(ctx context.Context, log casefile.Log, source int64) iter.Seq2[casefile.Stretch, error] {
	return c.StretchesOf(ctx, log, source)
}

// Line returns the canonical line of a copy that was selected, without line feed.
func (c *Case) Line(ctx context.Context, s *casefile.Selected) (line []byte, err error) {
	return line, c.withBodies(func(b *casefile.Bodies) error {
		line, err = b.Line(ctx, s.Event)
		return err
	})
}

// Place returns where a copy that was selected was first found.
func (c *Case) Place(ctx context.Context, s *casefile.Selected) (p facts.Place, err error) {
	return p, c.withBodies(func(b *casefile.Bodies) error {
		p, err = b.Place(ctx, s.Event)
		return err
	})
}
