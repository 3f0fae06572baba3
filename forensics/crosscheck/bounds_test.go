package crosscheck

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/forensics/walk/walktest"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/verify"
)

// limits lists what a result says of limits that were reached.
func limits(r *Result) (all []string) {
	for _, f := range r.Findings {
		if f.Code == finding.LimitReached {
			all = append(all, fmt.Sprintf("%s: %s, %s", f.LogID, f.Expected, f.Found))
		}
	}
	return all
}

// TestPauseBounds plays pauses, each resumed without a request, up to what is
// kept of them and beyond. What is beyond is counted.
func TestPauseBounds(t *testing.T) {
	if mostPauses != mostSuspects {
		t.Fatal("the test plays one suspect for each pause")
	}
	for name, c := range map[string]struct {
		pauses, requested int // of the pauses, the first are resumed with a request
		limits            []string
		listed            int
	}{
		"below":        {mostPauses - 1, 0, nil, mostPauses - 1},
		"at the bound": {mostPauses, 0, nil, mostPauses},
		"one above": {mostPauses + 1, 0, []string{theLog + ": at most 4096 events at odds with a pause, 1 more",
			theLog + ": at most 4096 pauses of issuance, 1 more"}, mostPauses},
		"one pause above": {mostPauses + 1, 1, []string{theLog + ": at most 4096 pauses of issuance, 1 more"}, mostPauses},
		"three of pauses": {mostPauses + 3, 3, []string{theLog + ": at most 4096 pauses of issuance, 3 more"}, mostPauses},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "one above" {
				t.Skip("signs 8,000 events")
			}
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
			r, err := Run(t.Context(), fill(t, s.collect()), s.root(), Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := limits(r); !slices.Equal(got, c.limits) {
				t.Errorf("%q, want %q", got, c.limits)
			}
			if len(r.Pauses) != c.listed || r.Pauses[c.listed-1].Resumed == 0 {
				t.Errorf("%d pauses, the last of them %+v", len(r.Pauses), r.Pauses[len(r.Pauses)-1])
			}
			if v := walktest.VerdictOf(r.Findings); v != verify.Rejected {
				t.Errorf("the verdict is %s", v)
			}
		})
	}
}

// TestPairBounds lets approvals wait for their other side, up to what is kept of
// them and beyond: there none of them may be said to have no other side.
func TestPairBounds(t *testing.T) {
	journal := walk.Log{TenantID: "acme-corp", LogID: berlinLog}
	for name, c := range map[string]struct {
		open   int
		limits []string
		alone  int
	}{
		"below":        {mostOpen - 1, nil, 1},
		"at the bound": {mostOpen, nil, 1},
		"one above":    {mostOpen + 1, []string{": at most 131072 approvals that wait for their other side, 1 more"}, 0},
		"ten above":    {mostOpen + 10, []string{": at most 131072 approvals that wait for their other side, 10 more"}, 0},
	} {
		x := newChecker(fill(t, nil), nil, Options{})
		x.logs[journal], x.logs[walk.TenantLog("acme-corp")] = casefile.Log{}, casefile.Log{}
		// The tenant log is whole around the time of the first approval only.
		x.spines = map[walk.Log]*spine{walk.TenantLog("acme-corp"): {stretches: []stretch{{first: 1, last: 9, anchored: 9,
			anchoredAt: 2 * apart}}}}
		for i := range c.open {
			s := statement{log: journal, Event: casefile.Event{Ref: 1, Header: event.Header{Type: event.ApprovalSigned},
				TransactionID: "tx"}}
			s.OccurredAt = min(int64(i), 1) * 10 * apart
			binary.BigEndian.PutUint32(s.digest[:], uint32(i))
			if err := x.pairs.take(t.Context(), &s); err != nil {
				t.Fatal(err)
			}
		}
		alone, err := x.pairs.settle(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := x.pairs.unmatched(t.Context(), alone); err != nil {
			t.Fatal(err)
		}
		count := x.pairs.of(journal)
		if got := limits(x.result); !slices.Equal(got, c.limits) || len(alone) != c.alone {
			t.Errorf("%s: %q, want %q; %d alone, want %d", name, got, c.limits, len(alone), c.alone)
		}
		if count.open+count.signedOnly != int64(c.open) {
			t.Errorf("%s: %+v of %d are accounted for", name, count, c.open)
		}
		if want := len(c.limits) > 0; (walktest.VerdictOf(x.result.Findings) == verify.Inconclusive) != want {
			t.Errorf("%s: limits change the verdict: expected %t", name, want)
		}
	}
}

var waitingJournal = walk.Log{TenantID: "acme-corp", LogID: berlinLog}

// TestCoversWithin: an interval is covered where one of its times is.
func TestCoversWithin(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	some := 0
	for range 5000 {
		s := &spine{}
		for range 1 + r.IntN(3) {
			s.stretches = append(s.stretches, stretch{first: 1 + r.Uint64N(2), begins: r.Int64N(40), anchored: r.Uint64N(2),
				anchoredAt: r.Int64N(40)})
		}
		first, want := r.Int64N(40), false
		last, slack := first+r.Int64N(10), r.Int64N(8)
		for at := first; at <= last; at++ {
			want = want || s.covers(at, slack)
		}
		if got := s.coversWithin(first, last, slack); got != want {
			t.Fatalf("%+v, %d to %d with %d: %t, want %t", s.stretches, first, last, slack, got, want)
		}
		if want {
			some++
		}
	}
	if some < 500 || some > 4500 {
		t.Errorf("%d are covered", some)
	}
}
