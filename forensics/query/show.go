package query

import (
	"context"
	"iter"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/custody"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/verify"
)

// The bounds of one answer: events, and copies of each.
const (
	mostShown  = 100
	mostCopies = 16
)

// Shown is events with everything that the case knows of them. Result is the walk
// whose findings it has, nil if there was none.
type Shown struct {
	Schema             string           `json:"schema"`
	SignaturesVerified bool             `json:"signatures_verified"` // always false
	Verdict            verify.Verdict   `json:"verdict"`             // of the walk; "" without one
	Decides            *finding.Finding `json:"decides,omitempty"`
	TrustSHA256        string           `json:"trust_sha256"` // of the walk; "" without one
	Events             []ShownEvent     `json:"events"`
	More               int              `json:"more"` // events that are not shown

	Result *verdict.Result `json:"-"`
}

// ShownSchema names the JSON form of a [Shown].
const ShownSchema = "svc-verify/show/v2"

// ShownEvent is all copies of one event, and the findings that touch it.
type ShownEvent struct {
	TenantID    string            `json:"tenant_id"`
	LogID       string            `json:"log_id"`
	Sequence    uint64            `json:"sequence"`
	OccurredAt  string            `json:"occurred_at"` // by the first copy
	Copies      []Copy            `json:"copies"`
	MoreCopies  int               `json:"more_copies"`
	Differences []Difference      `json:"differences"`
	Findings    []finding.Finding `json:"findings"`
	Notes       []custody.Entry   `json:"notes,omitempty"` // about it or its transaction, see [Shown.AddNotes]

	transactionID string // by the first copy
}

// AddNotes adds people's notes about the events and their transactions, and changes nothing
// else.
func (s *Shown) AddNotes(j *custody.Journal) {
	for i := range s.Events {
		e := &s.Events[i]
		e.Notes = j.Notes(custody.AboutEvent(e.LogID, e.Sequence))
		if e.transactionID != "" {
			e.Notes = append(e.Notes, j.Notes(custody.Subject{Kind: custody.OfTransaction, Name: e.transactionID})...)
		}
	}
}

// Search describes which events to show: the one in which a hash is written, if there
// is one, or else the selected ones by time.
type Search struct {
	store.Filter
	Hash *chain.Hash
}

func (s Search) isWithin(ctx context.Context, c *store.Case) iter.Seq2[store.Selected, error] {
	if s.Hash != nil {
		return c.Find(ctx, *s.Hash)
	}
	return c.SelectByTime(ctx, s.Filter)
}

// Show returns the events of a search, with the findings of a result that touch
// them. The result may be nil.
func Show(ctx context.Context, c *store.Case, result *verdict.Result, search Search) (out *Shown, err error) {
	s := shower{c: c}
	if s.names, err = sourceNames(ctx, c); err != nil {
		return nil, err
	}
	out = &Shown{Schema: ShownSchema, Result: result}
	if result != nil {
		out.TrustSHA256, out.Verdict, out.Decides, s.findings = result.TrustSHA256, result.Verdict, result.Decides,
			result.Findings
	}
	return out, s.gatherEvents(ctx, search.isWithin(ctx, c), out)
}

// shower gathers the content of a [Shown].
type shower struct {
	c        *store.Case
	names    map[int64]string // of the sources, by number
	findings []finding.Finding
}

// gatherEvents fills in the events.
func (s *shower) gatherEvents(ctx context.Context, all iter.Seq2[store.Selected, error], out *Shown) error {
	for e, err := range all {
		if err != nil {
			return err
		}
		if e.Variant == 0 {
			if len(out.Events) == mostShown {
				out.More++
				continue
			}
			out.Events = append(out.Events, s.eventWithoutCopies(e))
		}
		if out.More > 0 {
			continue
		}
		if err := s.addCopy(ctx, e, &out.Events[len(out.Events)-1]); err != nil {
			return err
		}
	}
	for i := range out.Events {
		out.Events[i].Differences = compareCopies(out.Events[i].Copies)
	}
	return nil
}

// eventWithoutCopies returns an event without its copies.
func (s *shower) eventWithoutCopies(e store.Selected) ShownEvent {
	n := e.Link.Sequence
	touch := slices.DeleteFunc(slices.Clone(s.findings), func(f finding.Finding) bool {
		return f.LogID != e.Log.LogID || f.TenantID != e.Log.TenantID || f.Sequence > n || f.LastSequence < n
	})
	return ShownEvent{TenantID: e.Log.TenantID, LogID: e.Log.LogID, Sequence: n,
		OccurredAt: form.FormatMillis(e.OccurredAt), Findings: touch, transactionID: e.TransactionID}
}
