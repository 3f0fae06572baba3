package query

import (
	"context"
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/cause"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/verify"
)

// Found is the requested findings of a walk. Result is the walk, nil if there was none.
type Found struct {
	Schema      string            `json:"schema"`
	Verdict     verify.Verdict    `json:"verdict"` // "" if there was no walk
	Decides     *finding.Finding  `json:"decides,omitempty"`
	TrustSHA256 string            `json:"trust_sha256"` // "" if there was no walk and no trust file was given
	Causes      []cause.Cause     `json:"causes"`       // of the findings that are shown
	Findings    []finding.Finding `json:"findings"`

	Result *verdict.Result `json:"-"`
}

// FoundSchema names the JSON form of a [Found].
const FoundSchema = "svc-verify/findings/v2"

// FindingFilter selects findings. Its zero value selects all.
type FindingFilter struct {
	LogID, Severity string
	Codes           []string // any of them; nil for all
	First, Last     uint64   // overlapping with these sequences; 0 and 0 for all

	// Events selects findings by the events in their range: events of a type or a transaction.
	// From and To select those whose range reaches into that time.
	Events store.Filter
}

// Findings returns the selected findings of a result, which may be nil. Trust is the digest of
// the requested trust file, zero if there is none.
func Findings(ctx context.Context, c *store.Case, result *verdict.Result, trust chain.Hash, f FindingFilter) (*Found,
	error) {
	out := &Found{Schema: FoundSchema, Result: result}
	if trust != (chain.Hash{}) {
		out.TrustSHA256 = trust.String()
	}
	if result == nil {
		return out, nil
	}
	out.TrustSHA256, out.Verdict, out.Decides = result.TrustSHA256, result.Verdict, result.Decides
	at := map[int]int{}
	for i, one := range result.Findings {
		if !f.selectsFinding(one) {
			continue
		}
		within, err := f.holdsAny(ctx, c, one)
		if err != nil {
			return nil, err
		}
		if within {
			at[i] = len(out.Findings)
			out.Findings = append(out.Findings, one)
		}
	}
	out.Causes = cause.Moved(result.Causes, at)
	return out, nil
}

// selectsFinding reports whether a finding is selected by its own members.
func (f FindingFilter) selectsFinding(one finding.Finding) bool {
	switch {
	case f.LogID != "" && one.LogID != f.LogID,
		f.Severity != "" && string(one.Severity) != f.Severity,
		f.Codes != nil && !slices.Contains(f.Codes, string(one.Code)),
		f.Last > 0 && (one.Sequence > f.Last || max(one.Sequence, one.LastSequence) < f.First):
		return false
	}
	return true
}

// holdsAny reports whether a finding is about events that are selected. A range
// of missing events has no times of its own: it reaches from the event before it
// to the one after it.
func (f FindingFilter) holdsAny(ctx context.Context, c *store.Case, one finding.Finding) (bool, error) {
	if f.Events == (store.Filter{LogID: f.Events.LogID}) {
		return true, nil
	}
	if one.Sequence == 0 {
		return false, nil
	}
	if within, err := f.reachesTime(ctx, c, one); err != nil || !within {
		return false, err
	}
	if !f.Events.ByContent() {
		return true, nil
	}
	events := f.Events
	events.LogID, events.First, events.Last = one.LogID, one.Sequence, one.LastSequence
	events.From, events.To = time.Time{}, time.Time{}
	for e, err := range c.Select(ctx, events) {
		if err != nil || !e.Ref.IsZero() {
			return err == nil, err
		}
	}
	return false, nil
}

// reachesTime reports whether the range of a finding reaches into the selected time.
func (f FindingFilter) reachesTime(ctx context.Context, c *store.Case, one finding.Finding) (bool, error) {
	from, to := f.Events.From, f.Events.To
	logs, err := c.Logs(ctx)
	for _, log := range logs {
		if log.LogID != one.LogID {
			continue
		}
		// The event at the first sequence, if it is there, is the last one below
		// the next; so is the one at the last.
		first, _, err := c.Around(ctx, log, one.Sequence+1, one.Sequence+1)
		if err != nil {
			return false, err
		}
		_, last, err := c.Around(ctx, log, one.LastSequence, one.LastSequence-1)
		if err != nil {
			return false, err
		}
		early := first.Ref.IsZero() || to.IsZero() || first.OccurredAt < to.UnixMilli()
		late := last.Ref.IsZero() || from.IsZero() || last.OccurredAt >= from.UnixMilli()
		if early && late {
			return true, nil
		}
	}
	return false, err
}
