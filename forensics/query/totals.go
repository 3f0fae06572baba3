package query

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/verify"
)

// Totals counts events by hours or days of the clocks of their logs.
type Totals struct {
	Schema  string         `json:"schema"`
	Verdict verify.Verdict `json:"verdict"` // of the newest walk; "" without one
	Unit    string         `json:"unit"`    // hour or day
	Events  int64          `json:"events"`
	Buckets []Bucket       `json:"buckets"` // those with events, by time
}

// TimelineSchema names the JSON form of a timeline: of its rows, or of [Totals].
const TimelineSchema = "svc-verify/timeline/v1"

// Bucket counts the events of an hour or a day. Outcomes counts the events that end a
// request or pause issuance, by their types.
type Bucket struct {
	Start    string           `json:"start"`
	Events   int64            `json:"events"`
	Logs     map[string]int64 `json:"logs"`
	Types    map[string]int64 `json:"types"`
	Outcomes map[string]int64 `json:"outcomes"`
}

// units are the units of buckets.
var units = map[string]time.Duration{"hour": time.Hour, "day": 24 * time.Hour}

// Outcomes are the names of outcomes.
var Outcomes = []string{"issued", "denied", "revoked", "paused"}

// outcomes are the outcomes of types of events (SPEC 4.4).
var outcomes = map[string]string{"issuance.completed": "issued", "issuance.denied": "denied",
	"approval.denied": "denied", "certificate.revoked": "revoked", "issuance.paused": "paused"}

// mostBuckets bounds the memory of totals: the writer of an event chooses its time.
const mostBuckets = 1 << 16

// CountByTime counts the selected events in buckets of a unit.
func CountByTime(ctx context.Context, c *store.Case, f store.Filter, unit string) (*Totals, error) {
	width := units[unit].Milliseconds()
	counts := map[int64]*Bucket{}
	var one *Bucket
	last := int64(-1)
	for h, err := range c.Headers(ctx, f) {
		if err != nil {
			return nil, err
		}
		if start := h.OccurredAt / width; start != last || one == nil {
			if last, one = start, counts[start]; one == nil {
				one = &Bucket{Start: form.FormatMillis(start * width), Logs: map[string]int64{}, Types: map[string]int64{},
					Outcomes: map[string]int64{}}
				counts[start] = one
			}
			if len(counts) > mostBuckets {
				return nil, fmt.Errorf("the events are in more than %d buckets: choose a larger unit, or a shorter time",
					mostBuckets)
			}
		}
		one.Events++
		one.Logs[h.Log.LogID]++
		one.Types[h.Type]++
		if outcome := outcomes[h.Type]; outcome != "" {
			one.Outcomes[outcome]++
		}
	}
	t := &Totals{Schema: TimelineSchema, Unit: unit}
	for _, start := range slices.Sorted(maps.Keys(counts)) {
		t.Buckets = append(t.Buckets, *counts[start])
		t.Events += counts[start].Events
	}
	return t, nil
}
