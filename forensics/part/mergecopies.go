package part

import (
	"context"
	"iter"
	"slices"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/store/block"
)

// Copies yields the copies of a log from a sequence on, each with the arrivals of all
// inputs.
func (m *merged) Copies(ctx context.Context, log facts.Log, from uint64) iter.Seq2[*Copy, error] {
	return eachRecord(func() stream[Copy] { return mergeCopies(ctx, m.holds[log], log, from) })
}

// mergeCopies is a stream of the copies of inputs. Each comes from one of the inputs that have
// it, with the arrivals of all.
func mergeCopies(ctx context.Context, spans []span, log facts.Log, from uint64) stream[Copy] {
	return rowMerge[Copy]{
		of:      func(in *input) stream[Copy] { return in.copies(ctx, log, from) },
		compare: block.CompareCopy,
		move: func(in *input, c *Copy) *Copy {
			c.Arrivals = in.moveAll(c.Arrivals)
			return c
		},
		join: func(a, b *Copy) error {
			if a.Size = min(a.Size, b.Size); a.Body.Row == 0 {
				a.Body = b.Body
			}
			a.Arrivals = append(a.Arrivals, b.Arrivals...)
			return nil
		},
		end: func(c *Copy) bool {
			if len(c.Arrivals) > 1 && !slices.IsSortedFunc(c.Arrivals, orderArrivals) {
				slices.SortFunc(c.Arrivals, orderArrivals)
			}
			return len(c.Arrivals) > 0
		},
		sequence: func(c *Copy) uint64 { return c.Sequence },
	}.openStream(laterOf(spans, log, from))
}

func orderArrivals(a, b Arrival) int { return block.CompareArrival(&a, &b) }

// moveAll moves arrivals of an input to their new places, and returns those that are
// kept.
func (in *input) moveAll(arrivals []Arrival) []Arrival {
	kept := 0
	for i := range arrivals {
		if !in.move(&arrivals[i].Place) {
			continue
		}
		if kept != i {
			arrivals[kept] = arrivals[i]
		}
		kept++
	}
	arrivals = arrivals[:kept]
	if in.shuffled && kept > 1 {
		slices.SortFunc(arrivals, orderArrivals)
	}
	return arrivals
}
