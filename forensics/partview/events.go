package partview

import (
	"context"
	"fmt"
	"hash/maphash"
	"iter"
	"slices"

	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
)

// Events yields the copies of the events of a log.
func (v *View) Events(ctx context.Context, log facts.Log, from, to uint64) iter.Seq2[*facts.Event, error] {
	return evidence.Stream(func(yield func(*facts.Event) error) error {
		var e facts.Event
		number := v.numbers[log]
		return v.copies(ctx, log, from, to, func(c *part.Copy, at which) error {
			v.setEvent(&e, number, c, at)
			return yield(&e)
		})
	})
}

// Placed yields the copies of the events of a log, with the containers that have them.
func (v *View) Placed(ctx context.Context, log facts.Log, from, to uint64) iter.Seq2[facts.Stretch, error] {
	return evidence.Stream(func(yield func(facts.Stretch) error) error {
		p, number := facts.Stretch{Event: &facts.Event{}}, v.numbers[log]
		return v.copies(ctx, log, from, to, func(c *part.Copy, at which) error {
			v.setPlaced(&p, number, c, at)
			return yield(p)
		})
	})
}

// setPlaced sets a stretch to a copy, and the containers that have it.
func (v *View) setPlaced(p *facts.Stretch, log int32, c *part.Copy, at which) {
	p.Containers = v.containersOf(p.Containers[:0], c)
	v.setEvent(p.Event, log, c, at)
}

// findCopy calls f with the copy of a reference, which is valid during the call.
func (v *View) findCopy(ctx context.Context, ref facts.Ref, f func(*part.Copy) error) error {
	if ref.Log < 1 || int(ref.Log) > len(v.logs) {
		return fmt.Errorf("the parts have no log %d", ref.Log)
	}
	log, variant := v.logs[ref.Log-1], int(ref.Variant)
	held, near, err := v.nearby.copiesWithin(ctx, v.content, log, ref.Sequence, ref.Sequence)
	if near && variant < len(held) {
		return f(&held[variant])
	}
	if err != nil {
		return err
	}
	at := 0
	for c, err := range v.content.Copies(ctx, log, ref.Sequence) {
		if err != nil {
			return err
		}
		if c.Sequence != ref.Sequence {
			break
		}
		if at == variant {
			return f(c)
		}
		if at++; at%contextEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return fmt.Errorf("the parts no longer have copy %d of event %d of %s", variant, ref.Sequence, log.LogID)
}

// Copy returns one copy of an event.
func (v *View) Copy(ctx context.Context, ref facts.Ref) (e facts.Event, err error) {
	return e, v.findCopy(ctx, ref, func(c *part.Copy) error {
		v.setEvent(&e, ref.Log, c, which{variant: int(ref.Variant)})
		return nil
	})
}

// Deliveries returns every arrival of a copy, in the order of their places.
func (v *View) Deliveries(ctx context.Context, ref facts.Ref) (all []facts.Delivery, err error) {
	err = v.findCopy(ctx, ref, func(c *part.Copy) error {
		for i := range c.Arrivals {
			a := &c.Arrivals[i]
			ids, err := facts.ParseBatches(a.Batch)
			if err != nil {
				return err
			}
			all = append(all, facts.Delivery{Place: v.placeOf(a.Place), Batches: ids, ObservedAt: a.ObservedAt})
		}
		return nil
	})
	slices.SortStableFunc(all, func(a, b facts.Delivery) int { return comparePlaces(a.Place, b.Place) })
	return all, err
}

// Arrivals yields the arrivals of a log by sequence, ascending. Arrivals of one sequence
// come together, in the order of their places. The slice is valid until the next one.
func (v *View) Arrivals(ctx context.Context, log facts.Log) iter.Seq2[[]evidence.Arrived, error] {
	return evidence.Stream(func(yield func([]evidence.Arrived) error) error {
		return v.eachArrivals(ctx, log, evidence.Stretch{Last: maxAny}, yield)
	})
}

// eachArrivals calls f with the arrivals of each sequence of a log in a stretch.
func (v *View) eachArrivals(ctx context.Context, log facts.Log, in evidence.Stretch,
	f func([]evidence.Arrived) error) error {
	var same []evidence.Arrived
	number := v.numbers[log]
	end := func() error {
		if len(same) == 0 {
			return nil
		}
		if len(same) > 1 {
			evidence.Arrange(same)
		}
		return f(same)
	}
	err := v.copies(ctx, log, in.First, in.Last, func(c *part.Copy, at which) error {
		if at.variant == 0 {
			if err := end(); err != nil {
				return err
			}
			same = same[:0]
		}
		same = v.arrived(same, c, refOf(number, c.Sequence, at.variant))
		return nil
	})
	if err != nil {
		return err
	}
	return end()
}

// maxAny is above all sequences.
const maxAny = 1<<63 - 1

// arrived appends the arrivals of a copy.
func (v *View) arrived(all []evidence.Arrived, c *part.Copy, ref facts.Ref) []evidence.Arrived {
	best := bestFidelity(c)
	for i := range c.Arrivals {
		a := &c.Arrivals[i]
		in := &v.shares[a.Share]
		all = append(all, evidence.Arrived{Ref: ref, Sequence: c.Sequence, OccurredAt: c.OccurredAt,
			ObservedAt: a.ObservedAt, Fidelity: best, Container: in.containers[a.Container], Source: in.source,
			Record: in.record + a.Record, Batch: batchNumber(a.Batch), Offset: a.Offset})
	}
	return all
}

var batchSeed = maphash.MakeSeed()

// batchNumber returns a number that is equal for equal batch ids; 0 without any.
func batchNumber(batch string) int64 {
	if batch == "" {
		return 0
	}
	return int64(maphash.String(batchSeed, batch) | 1)
}
