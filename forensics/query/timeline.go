package query

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"maps"
	"math"
	"slices"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/verdict"
)

// Row is one row of a timeline: an event, a finding about events, or the word of others that a
// log is complete up to an event. A finding has the time of its first event.
type Row struct {
	Kind RowKind `json:"kind"`
	// Clock names whose time it is. The owner of a log sets its own clock.
	Clock Clock `json:"clock"`
	Event
	LastSequence uint64 `json:"last_sequence,omitempty"` // of a finding about several events
	// WitnessedAt is the earliest time, by a statement of others, at which the event was in the
	// log; "" if none is known.
	WitnessedAt string             `json:"witnessed_at,omitempty"`
	Data        json.RawMessage    `json:"data,omitempty"` // of the first copy, if requested
	Code        finding.Code       `json:"code,omitempty"`
	Severity    finding.Severity   `json:"severity,omitempty"`
	Message     string             `json:"message,omitempty"`
	Incident    string             `json:"incident,omitempty"` // that the finding belongs to
	By          []facts.AnchorKind `json:"by,omitempty"`       // the statements of others
	// Tags are the incidents and codes of the findings that an event is within: the first ones.
	Tags []string `json:"tags,omitempty"`
}

// tagName is the name by which events within a finding refer to it.
func (r Row) tagName() string { return cmp.Or(r.Incident, string(r.Code)) }

// mostTags bounds the tags of an event.
const mostTags = 8

// RowKind is the kind of a [Row].
type RowKind string

// The kinds of rows.
const (
	EventRow     RowKind = "event"
	FindingRow   RowKind = "finding"
	WitnessedRow RowKind = "witnessed"
)

// Clock is the clock that a time is of.
type Clock string

// The clocks.
const (
	LogClock     Clock = "log"     // of the owner of the log, at the event
	BeforeClock  Clock = "before"  // the same, at the event before
	AfterClock   Clock = "after"   // the same, at the event after
	WitnessClock Clock = "witness" // of the witness
	NoClock      Clock = "unknown" // there is no time
)

// TimelineQuestion selects the rows of a timeline.
type TimelineQuestion struct {
	store.Filter
	Data bool // the data of events
}

// Timeline yields the selected events by time, with the findings of a result and the words of
// others in their places. The result may be nil. A filter of content selects the findings about
// the events that it selects, and another one those about its ranges, and about missing events
// at their ends.
func Timeline(ctx context.Context, c *store.Case, r *verdict.Result, q TimelineQuestion) iter.Seq2[Row, error] {
	return evidence.Stream(func(yield func(Row) error) error {
		t := timeline{question: q, yield: yield, logs: marksByLog(r)}
		err := eachEvent(ctx, c, q.Filter, func(e Event, first store.Selected) (err error) {
			row := Row{Kind: EventRow, Clock: LogClock, Event: e}
			if q.Data {
				if row.Data, err = c.Data(&first); err != nil {
					return err
				}
			}
			return t.addEvent(row)
		})
		if err != nil {
			return err
		}
		return t.yieldRest()
	})
}

// timeline puts marks between events.
type timeline struct {
	question TimelineQuestion
	yield    func(Row) error
	logs     map[facts.Log]*marks
}

// marks are the rows of one log that are no events.
type marks struct {
	findings  []Row // that come, by sequence
	ends      []Row // that did not end yet, by last sequence
	within    map[string]int
	witnessed []Row // by sequence
	before    Row   // the event before; Sequence is 0 if there was none
}

// addEvent yields an event, and the marks before and after it.
func (t *timeline) addEvent(e Row) error {
	m := t.logs[facts.Log{TenantID: e.TenantID, LogID: e.LogID}]
	if m == nil {
		return t.yield(e)
	}
	for ; len(m.findings) > 0 && m.findings[0].Sequence <= e.Sequence; m.findings = m.findings[1:] {
		f := m.findings[0]
		m.within[f.tagName()]++
		switch {
		case t.isUnselected(m, f, e.Sequence):
			continue
		case f.Sequence < e.Sequence && m.before.Sequence > 0:
			f.OccurredAt, f.Clock = m.before.OccurredAt, BeforeClock
		case f.Sequence < e.Sequence:
			f.OccurredAt, f.Clock = e.OccurredAt, AfterClock
		default:
			f.OccurredAt, f.Clock = e.OccurredAt, LogClock
		}
		if err := t.yield(f); err != nil {
			return err
		}
	}
	e.Tags = m.tagsAt(e.Sequence)
	if i := slices.IndexFunc(m.witnessed, func(w Row) bool { return w.Sequence >= e.Sequence }); i >= 0 {
		e.WitnessedAt = m.witnessed[i].OccurredAt
	}
	m.before = e
	if err := t.yield(e); err != nil {
		return err
	}
	for _, w := range m.witnessed {
		if w.Sequence == e.Sequence {
			if err := t.yield(w); err != nil {
				return err
			}
		}
	}
	return nil
}

// tagsAt returns the tags of an event. Sequences ascend from call to call.
func (m *marks) tagsAt(n uint64) []string {
	for ; len(m.ends) > 0 && m.ends[0].LastSequence < n; m.ends = m.ends[1:] {
		tag := m.ends[0].tagName()
		if m.within[tag]--; m.within[tag] == 0 {
			delete(m.within, tag)
		}
	}
	tags := slices.Sorted(maps.Keys(m.within))
	return tags[:min(len(tags), mostTags)]
}

// isUnselected reports whether a finding that begins at or before a selected event is about none of the
// selected events. Missing events are selected with their neighbours.
func (t *timeline) isUnselected(m *marks, f Row, n uint64) bool {
	if t.question.ByContent() {
		return f.LastSequence < n
	}
	return m.before.Sequence == 0 && !t.fromStart() && f.LastSequence+f.margin() < n
}

// margin is 1 for a finding about missing events, and 0 for another one.
func (r Row) margin() uint64 {
	if r.Code.Entry().Missing() {
		return 1
	}
	return 0
}

// fromStart reports whether the selection begins where logs begin.
func (t *timeline) fromStart() bool { return t.question.First <= 1 && t.question.From.IsZero() }

// toEnd reports whether the selection ends where logs end.
func (t *timeline) toEnd() bool {
	_, last := t.question.Bounds()
	return last == math.MaxInt64 && t.question.To.IsZero()
}

// yieldRest yields the findings beyond the last events of the logs. Findings about a log that has no
// event here have no time.
func (t *timeline) yieldRest() error {
	for _, log := range slices.SortedFunc(maps.Keys(t.logs), facts.Log.Compare) {
		m := t.logs[log]
		if t.question.ByContent() || !t.question.Wants(log) {
			continue
		}
		for _, f := range m.findings {
			n := m.before.Sequence
			switch {
			case n == 0 && !(t.fromStart() && t.toEnd()), !t.toEnd() && f.Sequence > n+f.margin():
				continue
			case n > 0:
				f.OccurredAt, f.Clock = m.before.OccurredAt, BeforeClock
			default:
				f.Clock = NoClock
			}
			if err := t.yield(f); err != nil {
				return err
			}
		}
	}
	return nil
}
