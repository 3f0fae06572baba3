package verdict

import (
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/verify"
)

func found(code finding.Code, log string) finding.Finding {
	return finding.Finding{Code: code, LogID: log, Sequence: 3, LastSequence: 3, Expected: "x", Found: "y"}.Complete()
}

// TestDecides: the effect on the verdict comes first, then the severity, then the
// order.
func TestDecides(t *testing.T) {
	open, later := found(finding.KeyUnknown, "node/a"), found(finding.HashMismatchLossy, "node/a")
	gap, fork, hash := found(finding.Gap, "node/a"), found(finding.Fork, "node/b"), found(finding.HashMismatch, "node/c")
	for name, c := range map[string]struct {
		verdict verify.Verdict
		found   []finding.Finding
		want    *finding.Finding
	}{
		"verified":             {verify.Verified, []finding.Finding{open}, nil},
		"nothing":              {verify.Inconclusive, nil, nil},
		"effect":               {verify.Rejected, []finding.Finding{open, gap}, &gap},
		"severity":             {verify.Rejected, []finding.Finding{gap, fork}, &fork},
		"order":                {verify.Rejected, []finding.Finding{gap, fork, hash}, &fork},
		"another order":        {verify.Rejected, []finding.Finding{hash, fork, gap}, &hash},
		"open":                 {verify.Inconclusive, []finding.Finding{later, open}, &open},
		"what does not decide": {verify.Inconclusive, []finding.Finding{found(finding.TimeRegression, "node/a")}, nil},
	} {
		got := Decides(c.verdict, c.found[:len(c.found)/2], c.found[len(c.found)/2:])
		check.That(t, (got == nil) == (c.want == nil) && (got == nil || got.Code == c.want.Code && got.LogID == c.want.LogID),
			"%s: %v, want %v", name, got, c.want)
	}
}

// TestWhy: every verdict that is not verified has a reason and a next command.
func TestWhy(t *testing.T) {
	gap := found(finding.Gap, "node/a")
	left := []LeftOut{{What: Comparison, Text: "The comparison."}}
	r := Why(verify.Verified, nil, nil)
	check.That(t, r == nil, "verified: %+v", r)
	for name, c := range map[string]struct {
		reason     *Reason
		text, next string
	}{
		"a finding":         {Why(verify.Rejected, &gap, left), "node/a, event 3 missing.", "svc-verify show gaps "},
		"what was left out": {Why(verify.Inconclusive, nil, left), "Not all was examined.", "svc-verify walk "},
		"a missing share": {Why(verify.Inconclusive, nil, []LeftOut{{What: Shares}}), "Not all was examined.",
			"svc-verify part "},
		"a source elsewhere": {Why(verify.Inconclusive, nil, []LeftOut{{What: Sources}}), "Not all was examined.",
			"svc-verify conclude"},
		"an empty case": {Why(verify.Inconclusive, nil, nil), "No event of a log is here.", "svc-verify ingest "},
	} {
		check.That(t, c.reason != nil && c.reason.Text == c.text && strings.HasPrefix(c.reason.Next, c.next),
			"%s: %+v", name, c.reason)
	}
	var none *Result
	check.That(t, none.Why() == nil, "a case that was not examined has a reason")
}

// TestWhyLogs: what decides on a log is about that log, and blames no source.
func TestWhyLogs(t *testing.T) {
	log := func(id string, v verify.Verdict) walk.LogResult { return walk.LogResult{LogID: id, Verdict: v} }
	r := &Result{Verdict: verify.Rejected, Findings: []finding.Finding{
		found(finding.AlteredCopy, "node/a"), found(finding.Fork, "node/b"), found(finding.KeyUnknown, "node/a"),
		found(finding.Gap, "node/a")},
		Logs: []walk.LogResult{log("node/a", verify.Rejected), log("node/b", verify.Rejected),
			log("node/a", verify.Inconclusive), log("node/c", verify.Verified)}}
	for i, want := range []finding.Code{finding.Gap, finding.Fork, finding.KeyUnknown, ""} {
		got := r.WhyLogs()[i]
		check.That(t, (got == nil) == (want == "") && (got == nil || got.Finding != nil && got.Finding.Code == want),
			"log %d: %+v, want %s", i, got, want)
	}
}

// TestLeave: what was not examined takes away a success, and nothing else. Shares that
// are missing take away every verdict.
func TestLeave(t *testing.T) {
	open, bad := found(finding.KeyUnknown, "node/a"), found(finding.HashMismatch, "node/a")
	for before, after := range map[verify.Verdict]verify.Verdict{verify.Verified: verify.Inconclusive,
		verify.Inconclusive: verify.Inconclusive, verify.Rejected: verify.Rejected} {
		r := &Result{Verdict: before, Findings: []finding.Finding{bad, open}}
		r.Leave(LeftOut{What: Sources})
		check.That(t, r.Verdict == after && len(r.LeftOut) == 1 && r.Decides != nil,
			"%s becomes %s with %d left out", before, r.Verdict, len(r.LeftOut))
		r.Leave(LeftOut{What: Shares})
		if r.Verdict != verify.Inconclusive || len(r.LeftOut) != 2 || r.LeftOut[0].What != Shares || r.Decides != nil {
			t.Errorf("without shares, %s becomes %s with %v left out", before, r.Verdict, r.LeftOut)
		}
	}
}

// TestForkedStores: of the stores of a forked log only those are at fault that
// hold the history that anchors do not name; all are if nothing tells.
func TestForkedStores(t *testing.T) {
	for _, tt := range []struct {
		name   string
		named  walk.Naming
		a, b   []string // the stores of each branch
		states []crosscheck.Standing
	}{
		{"named", walk.NamesFirst, []string{"one", "two"}, []string{"three"},
			[]crosscheck.Standing{"faithful", "faithful", "differs"}},
		{"both in one", walk.NamesFirst, []string{"one", "two"}, []string{"two", "three"},
			[]crosscheck.Standing{"faithful", "differs", "differs"}},
		{"neither named", walk.NamesNeither, []string{"one", "two"}, []string{"three"},
			[]crosscheck.Standing{"differs", "differs", "differs"}},
		{"both named", walk.NamesBoth, []string{"one", "two"}, []string{"three"},
			[]crosscheck.Standing{"differs", "differs", "differs"}},
	} {
		c := &crosscheck.Result{Presence: []crosscheck.Log{{TenantID: "t", LogID: "node/n", Histories: []crosscheck.History{
			{Sequence: 5, Hash: "a", Stores: tt.a}, {Sequence: 5, Hash: "b", Stores: tt.b}, {Sequence: 9, Hash: "a"}}}}}
		for _, name := range []string{"one", "two", "three"} {
			c.Stores = append(c.Stores, crosscheck.Store{Name: name, State: crosscheck.StoreDiffers, Events: 14, Shared: 4,
				Differs: 10})
		}
		fork := walk.Fork{Sequence: 5, Named: tt.named, Branches: [2]walk.Branch{{FirstHash: "a", Events: 12},
			{FirstHash: "b", Events: 10}}}
		w := &walk.Result{Verdict: "rejected", Logs: []walk.LogResult{{TenantID: "t", LogID: "node/n",
			Forks: []walk.Fork{fork}}}}
		r := Make(Examined{Walk: w, Comparison: c})
		for i, want := range tt.states {
			if got := r.Stores[i].State; got != want {
				t.Errorf("%s: %s is %s, want %s", tt.name, r.Stores[i].Name, got, want)
			}
		}
		if len(r.Logs[0].Forks[0].Branches[1].Stores) != len(tt.b) || w.Logs[0].Forks[0].Branches[0].Stores != nil ||
			c.Stores[0].State != crosscheck.StoreDiffers {
			t.Errorf("%s: %+v", tt.name, r.Logs[0].Forks)
		}
	}
}
