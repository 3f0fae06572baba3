package evidence

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// Case is a case as a [Reader].
type Case struct {
	*casefile.Case
	arrivals casefile.Arrivals

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

// Containers returns all containers, by number.
func (c *Case) Containers(ctx context.Context) ([]casefile.SourceContainer, error) {
	return c.arrivals.Containers(ctx)
}

// Paths returns where the sources were given, ascending by place and source.
func (c *Case) Paths(ctx context.Context) ([]casefile.GivenPath, error) { return c.arrivals.Paths(ctx) }

// Events yields the copies of the events of a log.
func (c *Case) Events(ctx context.Context, log casefile.Log, from, to uint64) iter.Seq2[*facts.Event, error] {
	return c.EventsInPlace(ctx, log, from, to)
}

// Placed yields the copies of the events of a log, with the containers that have them.
func (c *Case) Placed(ctx context.Context, log casefile.Log, from, to uint64) iter.Seq2[casefile.Placed, error] {
	return c.arrivals.Placed(ctx, log, from, to)
}

// Chosen yields the copies of events of a log that match a choice.
func (c *Case) Chosen(ctx context.Context, log casefile.Log, choice casefile.Choice) iter.Seq2[*casefile.Typed,
	error] {
	if choice.TransactionID == "" {
		return c.Typed(ctx, log, choice.Types)
	}
	return func(yield func(*casefile.Typed, error) bool) {
		for e, err := range c.Case.Chosen(ctx, log, choice) {
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(&casefile.Typed{Event: e}, nil) {
				return
			}
		}
	}
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
	return c.arrivals.Of(ctx, log)
}

// Deliveries returns every arrival of a copy, in the order of their places.
func (c *Case) Deliveries(ctx context.Context, ref facts.Ref) ([]facts.Delivery, error) {
	return c.arrivals.Deliveries(ctx, ref)
}

// Batches yields the batches of the case, ascending by id.
func (c *Case) Batches(ctx context.Context) iter.Seq2[facts.Batch, error] {
	return c.arrivals.Batches(ctx)
}

// Unbatched returns how many events were delivered without a batch id.
func (c *Case) Unbatched(ctx context.Context, journal string) (int64, error) {
	return c.arrivals.Unbatched(ctx, journal)
}
