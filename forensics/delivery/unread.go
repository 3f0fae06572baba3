package delivery

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/read"
)

// mostSpans bounds the spans that are looked for in one place, and the sources
// that are looked at: enough to say that something is there.
const mostSpans = 16

// Unread returns the spans that may hide an event between two events, or after the first if
// the second is 0, as [UnreadBetween] does. If there are none, and one of the two is only in
// sources that were read in part and in no known form, it returns the unread spans of these,
// wherever they are.
func Unread(ctx context.Context, r evidence.Reader, before, after facts.Ref) ([]facts.Place, error) {
	spans, err := UnreadBetween(ctx, r, before, after)
	for _, ref := range []facts.Ref{before, after} {
		if len(spans) > 0 || err != nil {
			break
		}
		if !ref.IsZero() {
			spans, err = unreadAround(ctx, r, ref)
		}
	}
	return spans, err
}

// unreadAround returns the spans that could not be read of the sources that have an
// event, if all of them are text of no known form and have such spans.
func unreadAround(ctx context.Context, r evidence.Reader, ref facts.Ref) (spans []facts.Place, err error) {
	all, err := r.Deliveries(ctx, ref)
	if err != nil {
		return nil, err
	}
	sources, err := r.Sources(ctx)
	if err != nil {
		return nil, err
	}
	for _, d := range all[:min(len(all), mostSpans)] {
		in := slices.IndexFunc(sources, func(s facts.Source) bool { return s.Number == d.Source })
		if in < 0 || !IsLoose(sources[in].Format) {
			return nil, nil
		}
		n := len(spans)
		for skip, err := range r.HiddenBetween(ctx, d.Source, -1, math.MaxInt64) {
			if err != nil {
				return nil, err
			}
			if spans = append(spans, skip.Place); len(spans) >= mostSpans {
				break
			}
		}
		if len(spans) == n {
			return nil, nil
		}
	}
	return spans, nil
}

// IsLoose reports whether events were found in text of no known form. Such text is no evidence
// about the content of a part that was not read.
func IsLoose(format string) bool {
	return slices.Contains(strings.Split(format, ", "), string(read.General))
}

// UnreadBetween returns the spans between two copies of events that could not be read and
// may hide an event, in every source that has both. If the second is 0, it returns
// the spans up to the end of every source that has the first.
func UnreadBetween(ctx context.Context, r evidence.Reader, before, after facts.Ref) ([]facts.Place, error) {
	first, err := r.Deliveries(ctx, before)
	if err != nil {
		return nil, err
	}
	second := sourceEnds(first)
	if !after.IsZero() {
		if second, err = r.Deliveries(ctx, after); err != nil {
			return nil, err
		}
	}
	var spans []facts.Place
	for _, end := range second[:min(len(second), mostSpans)] {
		start, ok := latestRecord(first, end)
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

// sourceEnds returns the ends of the sources that deliveries are from, each once.
func sourceEnds(all []facts.Delivery) []facts.Delivery {
	var out []facts.Delivery
	for _, d := range all {
		if !slices.ContainsFunc(out, func(e facts.Delivery) bool { return e.Source == d.Source }) {
			out = append(out, facts.Delivery{Place: facts.Place{Source: d.Source, Record: math.MaxInt64}})
		}
	}
	return out
}

// latestRecord returns the record of the last delivery in the same source before end.
func latestRecord(all []facts.Delivery, end facts.Delivery) (record int64, ok bool) {
	for _, d := range all {
		if d.Source == end.Source && d.Record < end.Record && (!ok || d.Record > record) {
			record, ok = d.Record, true
		}
	}
	return record, ok
}
