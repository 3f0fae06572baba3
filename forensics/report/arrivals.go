package report

import (
	"cmp"
	"math"
	"time"
)

// arrival is one delivery of an event.
type arrival struct {
	observed int64 // nanoseconds since 1970; 0 if unknown
	occurred int64 // milliseconds since 1970
	source   int   // its place among the sources
	record   int64
}

// compareArrivals is the order in which deliveries of one event came, as far as that is
// known. It does not depend on the order of ingest.
func (a arrival) compareArrivals(b arrival) int {
	return cmp.Or(cmp.Compare(uint64(a.observed)-1, uint64(b.observed)-1), cmp.Compare(a.source, b.source),
		cmp.Compare(a.record, b.record), cmp.Compare(a.occurred, b.occurred))
}

// deliveries counts arrivals, over all logs.
type deliveries struct {
	observed, occurred *histogram // of milliseconds
	sources            []tally    // by place among the sources
	unobserved         int64
	oldest, newest     int64 // times by the clocks of the owners
}

func newDeliveries(sources int) *deliveries {
	return &deliveries{observed: newHistogram(mostCells), occurred: newHistogram(mostCells),
		sources: make([]tally, sources), oldest: math.MaxInt64, newest: math.MinInt64}
}

func (d *deliveries) countDelivery(a arrival, t tally) {
	if a.observed != 0 {
		d.observed.countValue(time.Unix(0, a.observed).UnixMilli(), t)
	} else {
		d.unobserved++
	}
	d.occurred.countValue(a.occurred, t)
	d.oldest, d.newest = min(d.oldest, a.occurred), max(d.newest, a.occurred)
	s := &d.sources[a.source]
	s.first, s.again = s.first+t.first, s.again+t.again
}

// chooseClock chooses the clock: the collectors' if they noted any time.
func (d *deliveries) chooseClock() Deliveries {
	h, out := d.observed, Deliveries{Clock: Observed, Untimed: d.unobserved}
	if len(h.cells) == 0 {
		h, out = d.occurred, Deliveries{Clock: Occurred}
	}
	all := d.occurred.total()
	out.Events, out.Redelivered = all.first, all.again
	h, out.Outside = h.nearPicture()
	out.BucketMS = h.cellWidth()
	for _, cell := range h.filledCells() {
		t := h.cells[cell]
		out.Buckets = append(out.Buckets, Bucket{cell << h.shift, t.first, t.again})
	}
	return out
}

// occurredPeriod returns when the events occurred, from the earliest to the latest, without those that are far off.
func (d *deliveries) occurredPeriod() (p Period) {
	h, outside := d.occurred.nearPicture()
	if all := h.filledCells(); len(all) > 0 {
		p = Period{max(all[0]<<h.shift, d.oldest), min(all[len(all)-1]<<h.shift+h.cellWidth()-1, d.newest), outside}
	}
	return p
}
