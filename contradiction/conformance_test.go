package contradiction

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/fixtures"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
)

// answer judges a conformance case.
func answer(t *testing.T, c fixtures.Contradiction) (*Report, fixtures.ContradictionAnswer) {
	t.Helper()
	policy := must.Get(c.Policy.Verify())(t)
	root := must.Get(trust.Parse(c.Files["trust.json"]))(t)
	r := Verify(c.Files["contradiction.json"], root, policy)
	a := fixtures.ContradictionAnswer{Verdict: string(r.Verdict)}
	if f := r.Contradiction; f != nil {
		a.Code, a.Shows, a.Sequence = string(f.Code), string(f.Shows), int64(f.Sequence) //nolint:gosec // of a small log
		a.Witnessed = append(a.Witnessed, f.WitnessedBoth...)
	}
	if len(r.Findings) > 0 {
		a.Finding = string(r.Findings[0].Code)
	}
	return r, a
}

// TestConformance: every conformance case has the answer that it expects, and
// every code and everything that can be shown is among them.
func TestConformance(t *testing.T) {
	folder := filepath.Join("..", "fixtures", "contradictions")
	cases, err := fixtures.ReadSamples[fixtures.ContradictionAnswer](os.DirFS(folder))
	must.That(t, err == nil && len(cases) >= 40, "%d cases: %v", len(cases), err)
	seen := map[string]bool{}
	for _, c := range cases {
		_, a := answer(t, c)
		check.That(t, reflect.DeepEqual(a, c.Expect), "%s: %+v, expected %+v", c.Name, a, c.Expect)
		seen[c.Expect.Code], seen[c.Expect.Shows], seen[c.Expect.Finding] = true, true, true
	}
	for _, code := range append(Codes(), Malformed) {
		check.That(t, seen[string(code)], "no case of %s", code)
	}
	for _, e := range finding.Codes("contradictions") {
		if !strings.HasPrefix(string(e.Code), "contradiction.") {
			continue
		}
		check.That(t, seen[string(e.Code)], "no case of %s", e.Code)
	}
	for _, shows := range []Shows{TwoHistories, FalseLink, Open} {
		check.That(t, seen[string(shows)], "no case shows %s", shows)
	}
}
