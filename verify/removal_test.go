package verify_test

import (
	"slices"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// TestNoCheckIsIdle: for every check there is a conformance case whose verdict
// changes if that check alone passes. A check without one could be lost
// unnoticed.
func TestNoCheckIsIdle(t *testing.T) {
	needed := map[verify.CheckID]string{}
	all := verify.Policy{At: time.Unix(0, 0), MaxAge: time.Hour, Status: bundle.Issued} // so that the list is whole
	list := verify.Verify(bundle.Open(nil), &trust.Root{}, all).Checks
	for _, c := range judgedCases(t) {
		for i, check := range c.report.Checks {
			if c.Expect.Only && c.Expect.Check == string(check.ID) &&
				c.report.Verdict != verify.VerdictOf(passing(c.report.Checks, i)) {
				needed[check.ID] = c.Name
			}
		}
	}
	for _, check := range list {
		if needed[check.ID] == "" {
			t.Errorf("%s: no case gets another verdict without it", check.ID)
		}
		t.Logf("%s: %s", check.ID, needed[check.ID])
	}
}

// passing returns the checks as if the i-th had passed.
func passing(checks []verify.Check, i int) []verify.Check {
	all := slices.Clone(checks)
	n := max(all[i].Examined, 1)
	all[i].Status, all[i].Examined, all[i].Held, all[i].Findings = verify.Passed, n, n, nil
	return all
}
