package report

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// entry is one line of a timeline, with the fields that Timesketch wants and
// those that are ours.
type entry struct {
	Message       string   `json:"message"`
	Datetime      string   `json:"datetime"`  // ISO 8601
	Timestamp     int64    `json:"timestamp"` // microseconds since 1970
	TimestampDesc string   `json:"timestamp_desc"`
	Kind          string   `json:"kind"` // event or finding
	TenantID      string   `json:"tenant_id,omitempty"`
	LogID         string   `json:"log_id"`
	Sequence      uint64   `json:"sequence"`
	LastSequence  uint64   `json:"last_sequence,omitempty"`
	Type          string   `json:"type,omitempty"`
	TransactionID string   `json:"transaction_id,omitempty"`
	Hash          string   `json:"hash,omitempty"`
	KeyID         string   `json:"key_id,omitempty"`
	Severity      string   `json:"severity,omitempty"`
	FindingCodes  []string `json:"finding_codes"`
	Verdict       string   `json:"verdict"` // of the case
}

// timeline writes the events of one log after the other, with the findings at
// the events that they are about.
type timeline struct {
	out     *json.Encoder
	log     evidence.Log
	verdict string
	starts  []finding.Finding // that come, by their first sequence
	ends    []finding.Finding // that end, by their last
	active  map[finding.Code]int
	before  facts.Event // the one before, if its Ref is not 0
	untimed int
}

// writeTimesketch writes a timeline as Timesketch reads it, one JSON object a line:
// every copy of every event, and every finding about one, at the time of the
// event or, where that is missing, of its neighbour. It returns how many
// findings have no time.
func writeTimesketch(ctx context.Context, c *store.Case, r *Report, w io.Writer) (untimed int, err error) {
	logs, err := c.Logs(ctx)
	if err != nil {
		return 0, err
	}
	timed := 0
	for _, log := range logs {
		t := newTimeline(w, log, r)
		all := len(t.starts)
		for e, err := range c.Select(ctx, store.Filter{TenantID: log.TenantID, LogID: log.LogID}) {
			if err != nil {
				return 0, err
			}
			if err := t.event(e.Event); err != nil {
				return 0, err
			}
		}
		if err := t.end(); err != nil {
			return 0, err
		}
		timed += all - t.untimed
	}
	return max(0, len(r.Findings)-timed), nil
}

func newTimeline(w io.Writer, log evidence.Log, r *Report) *timeline {
	t := &timeline{out: json.NewEncoder(w), log: log, verdict: string(r.Verdict), active: map[finding.Code]int{}}
	for _, f := range r.Findings {
		if f.LogID == log.LogID && f.Sequence > 0 {
			t.starts = append(t.starts, f)
		}
	}
	slices.SortStableFunc(t.starts, finding.Compare)
	t.ends = slices.Clone(t.starts)
	slices.SortStableFunc(t.ends, func(a, b finding.Finding) int { return cmp.Compare(a.LastSequence, b.LastSequence) })
	return t
}

func (t *timeline) event(e facts.Event) error {
	n := e.Link.Sequence
	for ; len(t.starts) > 0 && t.starts[0].Sequence <= n; t.starts = t.starts[1:] {
		f := t.starts[0]
		t.active[f.Code]++
		at, why := e, "time of the event"
		switch {
		case f.Sequence == n:
		case t.before.Ref != 0:
			at, why = t.before, "time of the event before it"
		default:
			why = "time of the event after it"
		}
		if err := t.finding(f, at, why); err != nil {
			return err
		}
	}
	for ; len(t.ends) > 0 && max(t.ends[0].Sequence, t.ends[0].LastSequence) < n; t.ends = t.ends[1:] {
		f := t.ends[0]
		if t.active[f.Code]--; t.active[f.Code] <= 0 {
			delete(t.active, f.Code)
		}
	}
	t.before = e
	what := safetext.Quote(t.log.LogID) + " " + fmt.Sprint(n) + " " + safetext.Quote(e.Type)
	if e.TransactionID != "" {
		what += " " + safetext.Quote(e.TransactionID)
	}
	line := t.line(e, what, "Event recorded")
	line.Kind, line.Type, line.TransactionID = "event", safetext.Line(e.Type), safetext.Line(e.TransactionID)
	line.Sequence, line.Hash, line.KeyID = n, e.Recorded.String(), safetext.Line(e.KeyID)
	for _, code := range slices.Sorted(maps.Keys(t.active)) {
		line.FindingCodes = append(line.FindingCodes, safetext.Line(string(code)))
	}
	return t.out.Encode(line)
}

// end writes the findings about what lies beyond the last event.
func (t *timeline) end() error {
	if t.before.Ref == 0 {
		t.untimed = len(t.starts)
		return nil
	}
	for _, f := range t.starts {
		if err := t.finding(f, t.before, "time of the event before it"); err != nil {
			return err
		}
	}
	return nil
}

func (t *timeline) finding(f finding.Finding, at facts.Event, why string) error {
	line := t.line(at, string(f.Severity)+" "+string(f.Code)+": "+f.Message, "Finding, "+why)
	line.Kind, line.Severity = "finding", safetext.Line(string(f.Severity))
	line.Sequence, line.LastSequence = f.Sequence, f.LastSequence
	line.FindingCodes = append(line.FindingCodes, safetext.Line(string(f.Code)))
	return t.out.Encode(line)
}

func (t *timeline) line(at facts.Event, message, why string) entry {
	when := time.UnixMilli(at.OccurredAt).UTC()
	return entry{Message: safetext.Line(message), Datetime: when.Format("2006-01-02T15:04:05.000+00:00"),
		Timestamp: when.UnixMicro(), TimestampDesc: why,
		TenantID: safetext.Line(t.log.TenantID), LogID: safetext.Line(t.log.LogID), FindingCodes: []string{},
		Verdict: t.verdict}
}
