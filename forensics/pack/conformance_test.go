package pack_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/fixtures"
	"github.com/svc-edge/svc-verify/forensics/pack"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// answer judges a pack, and returns that as a conformance case has it.
func answer(doc []byte, root *trust.Root) fixtures.PackAnswer {
	r := pack.Verify(doc, root)
	a := fixtures.PackAnswer{Verdict: string(r.Verdict)}
	if len(r.Findings) > 0 {
		a.Finding, a.Line = string(r.Findings[0].Code), r.Findings[0].Line
	}
	if r.Verdict == verify.Rejected {
		return a
	}
	a.Disclosed, a.Redacted = r.Disclosed, r.Redacted
	for _, h := range r.Histories {
		if h.Seen != nil {
			a.Seen = append(a.Seen, fmt.Sprintf("%s %d %s", h.LogID, h.Seen.Sequence, h.Seen.By))
		}
	}
	for _, c := range r.Shown {
		a.Contradictions = append(a.Contradictions, fmt.Sprintf("%s %d", c.LogID, c.Sequence))
	}
	slices.Sort(a.Contradictions)
	return a
}

// TestConformance: every conformance case has the answer that it expects.
func TestConformance(t *testing.T) {
	cases, err := fixtures.ReadSamples[fixtures.PackAnswer](os.DirFS(filepath.Join("..", "..", "fixtures", "packs")))
	must.That(t, err == nil && len(cases) >= 110, "%d cases: %v", len(cases), err)
	for _, c := range cases {
		root := must.Get(trust.Parse(c.Files["trust.json"]))(t)
		if a := answer(c.Files["pack.jsonl"], root); !reflect.DeepEqual(a, c.Expect) {
			t.Errorf("%s: %+v, expected %+v", c.Name, a, c.Expect)
		}
	}
}
