package crosscheck

import (
	"bytes"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/walk/walktest"
	"github.com/svc-edge/svc-verify/verify"
)

// counted are cases that are rejected, by the examination without which they are
// not.
var counted = map[string]scenario{
	"bundles":      scenarios["a bundle that does not verify"],
	"statements":   recordScenarios["approval recorded under another transaction"],
	"late records": recordScenarios["approval recorded after the issuance"],
	"logs": {verdict: verify.Rejected, findings: []string{"source.altered " + berlinLog + " 1 1"}, play: honest,
		files: func(_ *stage, files map[string][]byte) {
			journal := files["journals/mesh-berlin-1.ndjson"]
			files["copies/mesh-berlin-1.ndjson"] = bytes.Replace(journal, []byte("2026-03"), []byte("2026-04"), 1)
		}},
	"answers":  scenarios["approval by a stolen key"],
	"journals": scenarios["recorded but never signed"],
	"pauses":   scenarios["issued while paused"],
}

// TestEveryExaminationCounts leaves out one examination after the other. For each
// there is a case that all of them reject, and the others do not.
func TestEveryExaminationCounts(t *testing.T) {
	if len(counted) != len(examinations) {
		t.Errorf("%d cases for %d examinations", len(counted), len(examinations))
	}
	for i, left := range examinations {
		t.Run(left.name, func(t *testing.T) {
			c, s := counted[left.name], newStage(t)
			c.play(s)
			files := s.collect()
			if c.files != nil {
				c.files(s, files)
			}
			filled := fill(t, files)
			whole, err := examine(t.Context(), filled, s.root(), Options{}, examinations)
			if err != nil {
				t.Fatal(err)
			}
			if got := spoken(whole); walktest.VerdictOf(whole.Findings) != verify.Rejected || !slices.Equal(got, c.findings) {
				t.Errorf("with all: %s %q, want %q", walktest.VerdictOf(whole.Findings), got, c.findings)
			}
			rest := slices.Delete(slices.Clone(examinations), i, i+1)
			partial, err := examine(t.Context(), filled, s.root(), Options{}, rest)
			if err != nil {
				t.Fatal(err)
			}
			if walktest.VerdictOf(partial.Findings) == verify.Rejected {
				t.Errorf("without it: %q", spoken(partial))
			}
		})
	}
}
