package second_test

import (
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/fixtures"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestConformanceCasesAreJudgedAlike: of every conformance case, the verifiers
// say the same: the verdict, and, where no fault of form hinders reading, every
// check that fails and every one that is empty (SPEC 12).
func TestConformanceCasesAreJudgedAlike(t *testing.T) {
	cases := must.Get(fixtures.Cases())(t)
	theirs := map[string]judgement{}
	for _, j := range second(t, cases) {
		theirs[j.Name] = j
	}
	whole := 0
	for _, c := range cases {
		our := must.Get(c.Run())(t)
		their := theirs[c.Name]
		check.That(t, their.Verdict == our.Verdict, "%s: %s, the second verifier says %s", c.Name, our.Verdict, their.Verdict)
		in := bundle.Open(c.Bundle)
		if our.TrustFault || in.Bundle == nil && !in.Empty() {
			continue
		}
		whole++
		if !slices.Equal(their.Failed, our.Failed) || !slices.Equal(their.Empty, our.Empty) {
			t.Errorf("%s: failed %v, empty %v; the second verifier says %v and %v (%v)",
				c.Name, our.Failed, our.Empty, their.Failed, their.Empty, their.Faults)
		}
	}
	check.That(t, whole >= 200, "%d of %d cases could be compared check by check", whole, len(cases))
}
