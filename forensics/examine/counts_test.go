package examine

import (
	"path/filepath"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/fleettest"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/tamper"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/verify"
)

// examinedAfter walks and compares what is left after a script.
func examinedAfter(t *testing.T, script string) verdict.Examined {
	t.Helper()
	e := fleettest.Evidence(t, fleet.Scene)
	s, _ := tamper.Lookup(script)
	after, damage := must.Two(s.Apply(e))(t)
	dir := t.TempDir()
	given := filepath.Join(dir, "evidence")
	must.Do(t, after.Write(given, tamper.Given(e, after, damage)...))
	w := must.Get(store.OpenWrite(fleettest.Case(t, dir, []string{given})))(t)
	defer w.Close()
	r := must.Get(w.Case(t.Context(), store.Judging{}))(t)
	defer r.Close()
	x := &examination{r: r, w: w, c: r, signatures: NewSignatures(w), root: fleettest.Root(t, after)}
	must.Get(x.walk(t.Context()))(t)
	must.Do(t, x.compare(t.Context()))
	return x.Examined
}

// TestBothExaminationsCount: what one examination alone finds rejects the case, and
// would not without it.
func TestBothExaminationsCount(t *testing.T) {
	for _, tt := range []struct {
		left, script string
		leave        func(*verdict.Examined)
	}{
		{"the walk", "broken-skip", func(e *verdict.Examined) {
			without := *e.Walk
			without.Verdict, without.Findings = verify.Verified, []finding.Finding{}
			e.Walk = &without
		}},
		{"the comparison", "withheld-revocation", func(e *verdict.Examined) { e.Comparison = nil }},
	} {
		all := examinedAfter(t, tt.script)
		if got := verdict.Make(all).Verdict; got != verify.Rejected {
			t.Errorf("%s: %s", tt.script, got)
		}
		tt.leave(&all)
		if got := verdict.Make(all).Verdict; got != verify.Verified {
			t.Errorf("%s without %s: %s", tt.script, tt.left, got)
		}
	}
}
