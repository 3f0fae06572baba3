package partview

import (
	"context"

	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
)

// Copy is a copy of an event as the content has it: its index among the copies of its
// sequence, from 0, and their number.
type Copy struct {
	*part.Copy
	Variant, Copies int
}

// EachCopy calls f with each copy of the events of a log in a stretch, until f returns an
// error. A copy is valid during the call.
func (v *View) EachCopy(ctx context.Context, log facts.Log, in evidence.Stretch, f func(Copy) error) error {
	return v.copies(ctx, log, in.First, in.Last, func(c *part.Copy, at which) error {
		return f(Copy{c, at.variant, at.copies})
	})
}

// EventOf returns a copy with the number of its deliveries, and without its transaction id.
func (v *View) EventOf(log facts.Log, c Copy) (e facts.Event) {
	v.setEvent(&e, v.numbers[log], c.Copy, which{c.Variant, c.Copies})
	e.Deliveries = int64(len(c.Arrivals))
	return e
}

// PlaceOf returns the place of a record of the content.
func (v *View) PlaceOf(p part.Place) facts.Place { return v.placeOf(p) }

// FirstPlace returns where a copy was first found: the first of [View.Deliveries].
func (v *View) FirstPlace(c *part.Copy) (first facts.Place) {
	for i := range c.Arrivals {
		if p := v.placeOf(c.Arrivals[i].Place); i == 0 || comparePlaces(p, first) < 0 {
			first = p
		}
	}
	return first
}
