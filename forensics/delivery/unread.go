package delivery

import (
	"context"
	"math"
	"slices"

	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/evidence"
)

// mostSpans bounds the spans that are looked for in one place, and the sources
// that are looked at: enough to say that something is there.
const mostSpans = 16

// Unread returns the spans between two copies of events that could not be read and
// may hide an event, in every source that has both. If the second is 0, it returns
// the spans up to the end of every source that has the first.
func Unread(ctx context.Context, r evidence.Reader, before, after casefile.Ref) ([]casefile.Place, error) {
	first, err := r.Deliveries(ctx, before)
	if err != nil {
		return nil, err
	}
	second := ends(first)
	if after != 0 {
		if second, err = r.Deliveries(ctx, after); err != nil {
			return nil, err
		}
	}
	var spans []casefile.Place
	for _, end := range second[:min(len(second), mostSpans)] {
		start, ok := latest(first, end)
		if !ok {
			continue
		}
		for skip, err := range r.HiddenBetween(ctx, end.Source, start, end.Record) {
			if err != nil || len(spans) == mostSpans {
				return spans, err
			}
			spans = append(spans, skip.Place)
		}
	}
	return spans, nil
}

// ends returns the ends of the sources that deliveries are from, each once.
func ends(all []casefile.Delivery) []casefile.Delivery {
	var out []casefile.Delivery
	for _, d := range all {
		if !slices.ContainsFunc(out, func(e casefile.Delivery) bool { return e.Source == d.Source }) {
			out = append(out, casefile.Delivery{Place: casefile.Place{Source: d.Source, Record: math.MaxInt64}})
		}
	}
	return out
}

// latest returns the record of the last delivery in the same source before end.
func latest(all []casefile.Delivery, end casefile.Delivery) (record int64, ok bool) {
	for _, d := range all {
		if d.Source == end.Source && d.Record < end.Record && (!ok || d.Record > record) {
			record, ok = d.Record, true
		}
	}
	return record, ok
}
