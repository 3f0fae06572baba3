package report

import (
	"cmp"
	"context"
	"iter"
	"math"
	"time"

	"github.com/svc-edge/svc-verify/forensics/store"
)

// arrival is one delivery of an event.
type arrival struct {
	observed int64 // nanoseconds since 1970; 0 if unknown
	occurred int64 // milliseconds since 1970
	source   int   // its place among the sources
	record   int64
}

// compare is the order in which deliveries of one event came, as far as that is
// known. It does not depend on the order of ingest.
func (a arrival) compare(b arrival) int {
	return cmp.Or(cmp.Compare(uint64(a.observed)-1, uint64(b.observed)-1), cmp.Compare(a.source, b.source),
		cmp.Compare(a.record, b.record), cmp.Compare(a.occurred, b.occurred))
}

// places says where among the sources of a report a source stands, and that of a
// container, by their numbers.
type places struct{ sources, containers map[int64]int }

func placesOf(ctx context.Context, c *store.Case, sources []store.Source) (places, error) {
	p := places{map[int64]int{}, map[int64]int{}}
	for i, s := range sources {
		p.sources[s.Number] = i
	}
	all, err := c.ContainerSources(ctx)
	for container, source := range all {
		p.containers[container] = p.sources[source]
	}
	return p, err
}

// arrivals reads every delivery of the copies of one log, beside the copies.
type arrivals struct {
	c  *store.Case
	in places

	firsts func() (store.First, error, bool)
	second func() (store.Again, error, bool)
	first  store.First // the next, if its Ref is not 0
	again  store.Again
	stop   []func()
}

func openArrivals(ctx context.Context, c *store.Case, log store.Log, in places) *arrivals {
	a := &arrivals{c: c, in: in}
	var stopFirsts, stopSecond func()
	a.firsts, stopFirsts = iter.Pull2(c.Firsts(ctx, log))
	a.second, stopSecond = iter.Pull2(c.Redeliveries(ctx, log))
	a.stop = []func(){stopFirsts, stopSecond}
	return a
}

func (a *arrivals) close() {
	for _, stop := range a.stop {
		stop()
	}
}

// of calls f for each delivery of a copy. Copies come in the order of
// [store.Case.Events].
func (a *arrivals) of(ctx context.Context, e store.Event, f func(arrival)) error {
	if e.Ref < 0 {
		return a.variant(ctx, e, f)
	}
	for a.first.Ref < e.Ref {
		next, err, ok := a.firsts()
		if !ok || err != nil {
			return err
		}
		a.first = next
	}
	if a.first.Ref == e.Ref {
		f(arrival{a.first.ObservedAt, e.OccurredAt, a.in.containers[a.first.Container], a.first.Record})
	}
	for a.again.Ref <= e.Ref {
		if a.again.Ref == e.Ref {
			f(arrival{a.again.ObservedAt, e.OccurredAt, a.in.sources[a.again.Source], a.again.Record})
		}
		next, err, ok := a.second()
		if err != nil {
			return err
		}
		if !ok {
			next.Ref = math.MaxInt64
		}
		a.again = next
	}
	return nil
}

// variant asks about a copy beside the first of its sequence.
func (a *arrivals) variant(ctx context.Context, e store.Event, f func(arrival)) error {
	all, err := a.c.Deliveries(ctx, e.Ref)
	for _, d := range all {
		f(arrival{d.ObservedAt, e.OccurredAt, a.in.sources[d.Source], d.Record})
	}
	return err
}

// deliveries counts arrivals, over all logs.
type deliveries struct {
	observed, occurred *histogram // of milliseconds
	sources            []tally    // by place among the sources
	unobserved         int64
}

func newDeliveries(sources int) *deliveries {
	return &deliveries{observed: newHistogram(mostCells), occurred: newHistogram(mostCells), sources: make([]tally, sources)}
}

func (d *deliveries) add(a arrival, t tally) {
	if a.observed != 0 {
		d.observed.add(time.Unix(0, a.observed).UnixMilli(), t)
	} else {
		d.unobserved++
	}
	d.occurred.add(a.occurred, t)
	s := &d.sources[a.source]
	s.first, s.again = s.first+t.first, s.again+t.again
}

// result chooses the clock: that of the collectors if they noted any time.
func (d *deliveries) result() Deliveries {
	h, out := d.observed, Deliveries{Clock: Observed, Untimed: d.unobserved}
	if len(h.cells) == 0 {
		h, out = d.occurred, Deliveries{Clock: Occurred}
	}
	all := d.occurred.total()
	out.Events, out.Redelivered = all.first, all.again
	h, out.Outside = h.near()
	out.BucketMS, out.Buckets = h.width(), []Bucket{}
	for _, cell := range h.order() {
		t := h.cells[cell]
		out.Buckets = append(out.Buckets, Bucket{cell << h.shift, t.first, t.again})
	}
	return out
}
