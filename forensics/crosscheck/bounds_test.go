package crosscheck

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/evidence"
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
// them and beyond: there none of them may be said to have no other side. Of those that
// were put aside, only such leave the verdict open whose other side is expected, as the
// tenant log is whole around their time, or may have come afterwards.
func TestPairBounds(t *testing.T) {
	limit := func(n int) []string {
		return []string{fmt.Sprintf(": at most 131072 approvals that wait for their other side, %d more", n)}
	}
	for name, c := range map[string]struct {
		open, covered, late int // the first are covered, and of the last of those put aside the other side comes late
		limits              []string
		alone               int
	}{
		"below":                 {mostOpen - 1, 1, 0, nil, 1},
		"at the bound":          {mostOpen, 1, 0, nil, 1},
		"one above":             {mostOpen + 1, 1, 0, limit(1), 0},
		"none is expected":      {mostOpen + 1, 0, 0, nil, 0},
		"far above":             {2*mostOpen + 10, 3, 0, limit(3), 0},
		"far above, unexpected": {2*mostOpen + 10, 0, 0, nil, 0},
		"late":                  {mostOpen + 10, 0, 2, limit(2), 0},
	} {
		x := newChecker(fill(t, nil), nil, Options{})
		x.logs[waitingJournal], x.logs[walk.TenantLog("acme-corp")] = casefile.Log{}, casefile.Log{}
		// The tenant log is whole around the time of the first approvals only.
		x.spines = map[walk.Log]*spine{walk.TenantLog("acme-corp"): {stretches: []stretch{{first: 1, last: 9, anchored: 9,
			anchoredAt: 2 * apart}}}}
		for i := range c.open {
			at := int64(i)
			if i >= c.covered {
				at += 10 * apart
			}
			wait(t, x, event.ApprovalSigned, i, at)
		}
		for i := range c.late {
			wait(t, x, event.ApprovalRecorded, i, 20*apart)
		}
		alone, err := x.pairs.settle(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := x.pairs.unmatched(t.Context(), alone); err != nil {
			t.Fatal(err)
		}
		count := x.pairs.of(waitingJournal)
		if got := limits(x.result); !slices.Equal(got, c.limits) || len(alone) != c.alone {
			t.Errorf("%s: %q, want %q; %d alone, want %d", name, got, c.limits, len(alone), c.alone)
		}
		if count.open+count.signedOnly != int64(c.open+c.late) || len(x.pairs.open) > mostOpen {
			t.Errorf("%s: %+v of %d are accounted for, and %d kept", name, count, c.open+c.late, len(x.pairs.open))
		}
		if want := len(c.limits) > 0; (walktest.VerdictOf(x.result.Findings) == verify.Inconclusive) != want {
			t.Errorf("%s: limits change the verdict: expected %t", name, want)
		}
	}
}

var waitingJournal = walk.Log{TenantID: "acme-corp", LogID: berlinLog}

// wait has the comparison take one side of an approval.
func wait(t *testing.T, x *checker, kind string, number int, at int64) {
	t.Helper()
	s := statement{log: waitingJournal, said: &evidence.Said{}, Event: casefile.Event{Ref: 1,
		Header: event.Header{Type: kind}, TransactionID: "tx"}}
	if kind == event.ApprovalRecorded {
		s.log, s.said.Node = walk.TenantLog("acme-corp"), strings.TrimPrefix(berlinLog, "node/")
	}
	s.OccurredAt = at
	// As of a real digest, all of its octets count.
	s.said.Digest = sha256.Sum256(binary.BigEndian.AppendUint32(nil, uint32(number)))
	if err := x.pairs.take(t.Context(), &s); err != nil {
		t.Fatal(err)
	}
}

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
