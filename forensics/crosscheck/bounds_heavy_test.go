//go:build heavy

package crosscheck

import (
	"fmt"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/walk/walktest"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/verify"
)

// limits lists the limits that were reached, as a result reports them.
func limits(r *Result) (all []string) {
	for _, f := range r.Findings {
		if f.Code == finding.LimitReached {
			all = append(all, fmt.Sprintf("%s: %s, %s", f.LogID, f.Expected, f.Found))
		}
	}
	return all
}

// TestPauseBounds plays pauses, each resumed without a request, up to the bounds of the kept
// ones and beyond. The excess is counted.
func TestPauseBounds(t *testing.T) {
	must.That(t, mostPauses == mostSuspects, "the test plays one suspect for each pause")
	for name, c := range map[string]struct {
		pauses, requested int // of the pauses, the first are resumed with a request
		limits            []string
		listed            int
	}{
		"at the bound": {mostPauses, 0, nil, mostPauses},
		"one above": {mostPauses + 1, 0, []string{theLog + ": at most 4096 events at odds with a pause, 1 more"},
			mostPauses},
		"three of pauses": {mostPauses + 3, 3, nil, mostPauses},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			key, log := s.Keys.Audit["audit-2026-1"], seal.LogOf("acme-corp", theLog, s.tenant)
			note := func(eventType string) {
				s.tenant = append(s.tenant, log.Append(seal.Entry{Type: eventType, OccurredAt: s.Clock.Next(), Data: seal.Object{}},
					key))
			}
			for i := range c.pauses {
				note(event.IssuancePaused)
				if i < c.requested {
					note(event.ResumeRequested)
				}
				note(event.IssuanceResumed)
			}
			r := must.Get(Run(t.Context(), fill(t, s.collect()), s.root(), Options{}))(t)
			got := limits(r)
			check.That(t, slices.Equal(got, c.limits), "%q, want %q", got, c.limits)
			further := max(0, c.pauses-c.listed)
			check.That(t, r.FurtherPauses == int64(further), "%d further pauses, want %d", r.FurtherPauses, further)
			if len(r.Pauses) != c.listed || r.Pauses[c.listed-1].Resumed == 0 {
				t.Errorf("%d pauses, the last of them %+v", len(r.Pauses), r.Pauses[len(r.Pauses)-1])
			}
			v := walktest.VerdictOf(r.Findings)
			check.That(t, v == verify.Rejected, "the verdict is %s", v)
		})
	}
}

// TestPairsSpilled lets approvals wait for their other side, as many as memory keeps and
// more: how many there are changes neither which of them are paired nor which are
// reported to have no other side.
func TestPairsSpilled(t *testing.T) {
	for name, c := range map[string]struct {
		signed, covered, late int // the first are covered; of the last ones the other side comes late
	}{
		"at the bound":     {mostOpen, 1, 0},
		"one above":        {mostOpen + 1, 1, 0},
		"far above":        {2*mostOpen + 10, 3, 0},
		"late":             {mostOpen + 10, 5, 2},
		"all but one late": {mostOpen + 10, mostOpen + 10, mostOpen + 9},
	} {
		x := newChecker(placeless{fill(t, nil)}, nil, Options{})
		x.logs[waitingJournal], x.logs[facts.TenantLog("acme-corp")] = true, true
		// The tenant log is whole around the time of the first approvals only.
		x.spines = map[facts.Log]*spine{facts.TenantLog("acme-corp"): {stretches: []stretch{{first: 1, last: 9, anchored: 9,
			anchoredAt: int64(mostOpen) * 10 * apart}}}}
		for i := range c.signed {
			at := int64(i)
			if i >= c.covered {
				at += int64(mostOpen) * 20 * apart
			}
			wait(t, x, event.ApprovalSigned, i, at)
		}
		for i := range c.late {
			wait(t, x, event.ApprovalRecorded, c.signed-1-i, int64(mostOpen)*30*apart)
		}
		must.Do(t, x.pairs.settleApprovals(t.Context()))
		must.Do(t, x.pairs.unmatched(t.Context()))
		got := limits(x.result)
		check.That(t, len(got) == 0, "%s: %q", name, got)
		count, alone := *x.pairs.countsOf(waitingJournal), int64(min(c.covered, c.signed-c.late))
		want := pairCount{both: int64(c.late), signedOnly: alone, open: int64(c.signed-c.late) - alone}
		check.That(t, count == want && x.listed[noted{finding.ApprovalUnrecorded, waitingJournal}] == alone,
			"%s: %+v, want %+v; findings %v", name, count, want, x.listed)
		check.Do(t, x.pairs.closeFiles())
	}
}
