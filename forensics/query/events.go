package query

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"iter"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Event is one event of a log: the first of its copies, with the deliveries of
// all of them.
type Event struct {
	TenantID      string `json:"tenant_id"`
	LogID         string `json:"log_id"`
	Sequence      uint64 `json:"sequence"`
	OccurredAt    string `json:"occurred_at"`
	Type          string `json:"type"`
	TransactionID string `json:"transaction_id,omitempty"`
	KeyID         string `json:"key_id"`
	Hash          string `json:"hash"`
	Copies        int    `json:"copies"`
	Deliveries    int64  `json:"deliveries"` // of all copies
}

// Again reports whether a copy was delivered more than once.
func (e Event) Again() bool { return e.Deliveries > int64(e.Copies) }

// Events yields the selected events by time.
func Events(ctx context.Context, c *store.Case, f store.Filter) iter.Seq2[Event, error] {
	return evidence.Stream(func(yield func(Event) error) error {
		return eachEvent(ctx, c, f, func(e Event, _ store.Selected) error { return yield(e) })
	})
}

// eachEvent calls do with the selected events by time, and with the first copy of each.
func eachEvent(ctx context.Context, c *store.Case, f store.Filter, do func(Event, store.Selected) error) error {
	var one Event
	var first store.Selected
	for e, err := range c.SelectByTime(ctx, f) {
		if err != nil {
			return err
		}
		if e.Variant == 0 {
			first = e
			one = Event{TenantID: e.Log.TenantID, LogID: e.Log.LogID, Sequence: e.Link.Sequence,
				OccurredAt: form.FormatMillis(e.OccurredAt), Type: e.Type, TransactionID: e.TransactionID,
				KeyID: e.KeyID, Hash: e.Recorded.String(), Copies: e.Copies}
		}
		one.Deliveries += e.Deliveries
		if e.Variant == e.Copies-1 {
			if err := do(one, first); err != nil {
				return err
			}
		}
	}
	return nil
}

// line is one copy of an event. The whole event follows as the member "event":
// it means the same as the event's canonical line, with everything but printable
// ASCII escaped.
type line struct {
	TenantID   string           `json:"tenant_id"`
	LogID      string           `json:"log_id"`
	Sequence   uint64           `json:"sequence"`
	Copy       int              `json:"copy"`
	Copies     int              `json:"copies"`
	Deliveries int64            `json:"deliveries"`
	Place      finding.Evidence `json:"place"` // the first, of several
}

// WriteLine writes a value without lists that may be nil as one line of JSON in printable ASCII.
// Unless last is nil, it follows as the last member, which has this name.
func WriteLine(w io.Writer, v any, name string, last []byte) error {
	doc, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if last != nil {
		doc = append(bytes.TrimSuffix(doc, []byte("}")), `,"`+name+`":`...)
		doc = append(append(doc, last...), '}')
	}
	_, err = w.Write(append(safetext.JSON(doc), '\n'))
	return err
}

// WriteLines writes every copy of the selected events as a line of JSON. It stops
// after limit events, if limit is not 0, and returns how many it wrote.
func WriteLines(ctx context.Context, w io.Writer, c *store.Case, f store.Filter, limit int) (total int,
	err error) {
	names, err := sourceNames(ctx, c)
	if err != nil {
		return 0, err
	}
	for e, err := range c.SelectByTime(ctx, f) {
		if err != nil {
			return total, err
		}
		if e.Variant == 0 {
			total++
		}
		if limit > 0 && total > limit {
			return limit, nil
		}
		l := line{TenantID: e.Log.TenantID, LogID: e.Log.LogID, Sequence: e.Link.Sequence,
			Copy: e.Variant, Copies: e.Copies, Deliveries: e.Deliveries}
		event, err := c.Line(ctx, &e)
		if err != nil {
			return total, err
		}
		l.Place = evidenceOf(names, e.Found)
		if err := WriteLine(w, l, "event", event); err != nil {
			return total, err
		}
	}
	return total, nil
}
