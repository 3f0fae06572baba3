package crosscheck

import (
	"bytes"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/walk/walktest"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
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
	"ends": {verdict: verify.Rejected, findings: []string{"journal.tail-truncated tenant/acme-corp 10 10"},
		play: func(s *stage) {
			s.later()
			s.must(s.Witness(s.berlin, s.oslo))
		},
		files: func(_ *stage, files map[string][]byte) {
			lines := bytes.SplitAfter(bytes.TrimSpace(files["tenant.ndjson"]), []byte("\n"))
			files["tenant.ndjson"] = bytes.Join(lines[:len(lines)-1], nil)
		}},
	"answers":  scenarios["approval by a stolen key"],
	"journals": scenarios["recorded but never signed"],
	"pauses":   scenarios["issued while paused"],
}

// TestEveryExaminationCounts leaves out one examination after the other. For each
// there is a case of which all of them say more than the others.
func TestEveryExaminationCounts(t *testing.T) {
	check.That(t, len(counted) == len(examinations),
		"%d cases for %d examinations", len(counted), len(examinations))
	for i, left := range examinations {
		t.Run(left.name, func(t *testing.T) {
			c, s := counted[left.name], newStage(t)
			c.play(s)
			files := s.collect()
			if c.files != nil {
				c.files(s, files)
			}
			filled := fill(t, files)
			options := Options{}
			if left.name == "ends" {
				options.Collected = []Collected{{LogID: "tenant/acme-corp"}}
				options.Walked = func(facts.Log) (whole, beyond uint64) { return 0, 0 }
			}
			whole := must.Get(examine(t.Context(), filled, s.root(), options, examinations))(t)
			if got := spoken(whole); walktest.VerdictOf(whole.Findings) != c.verdict || !slices.Equal(got, c.findings) {
				t.Errorf("with all: %s %q, want %q", walktest.VerdictOf(whole.Findings), got, c.findings)
			}
			rest := slices.Delete(slices.Clone(examinations), i, i+1)
			partial := must.Get(examine(t.Context(), filled, s.root(), options, rest))(t)
			check.That(t, walktest.VerdictOf(partial.Findings) != c.verdict, "without it: %q", spoken(partial))
		})
	}
}
