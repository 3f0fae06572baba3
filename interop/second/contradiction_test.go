package second_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/svc-edge/svc-verify/contradiction"
	"github.com/svc-edge/svc-verify/fixtures"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
)

// contradictionAnswer is a verifier's answer about a contradiction file.
type contradictionAnswer struct {
	Name       string   `json:"name"`
	Verdict    string   `json:"verdict"`
	Finding    string   `json:"finding"`
	Code       string   `json:"code"`
	Shows      string   `json:"shows"`
	Sequence   uint64   `json:"sequence"`
	Values     []string `json:"values"`
	SignedBoth []string `json:"signed_both"`
	Witnessed  []string `json:"witnessed_both"`
}

// TestContradictionsAreJudgedAlike: of every conformance case of contradiction
// files, the verifiers say the same, down to the values and the keys.
func TestContradictionsAreJudgedAlike(t *testing.T) {
	folder := filepath.Join("..", "..", "fixtures", "contradictions")
	cases, err := fixtures.ReadSamples[fixtures.ContradictionAnswer](os.DirFS(folder))
	must.That(t, err == nil && len(cases) >= 40, "%d cases: %v", len(cases), err)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, must.Program(t, "node"), "contradiction.mjs", folder) // #nosec G204 -- a test
	output := must.Get(command.Output())(t)
	lines := bytes.Split(bytes.TrimSpace(output), []byte("\n"))
	must.That(t, len(lines) == len(cases), "%d answers to %d cases", len(lines), len(cases))
	for i, c := range cases {
		var their contradictionAnswer
		must.Do(t, json.Unmarshal(lines[i], &their))
		check.Equal(t, cmp.Diff(ourAnswer(t, c), their), "", "%s: - the first, + the second verifier", c.Name)
	}
}

func ourAnswer(t *testing.T, c fixtures.Contradiction) contradictionAnswer {
	t.Helper()
	policy := must.Get(c.Policy.Verify())(t)
	root := must.Get(trust.Parse(c.Files["trust.json"]))(t)
	r := contradiction.Verify(c.Files["contradiction.json"], root, policy)
	a := contradictionAnswer{Name: c.Name, Verdict: string(r.Verdict)}
	if len(r.Findings) > 0 {
		a.Finding = string(r.Findings[0].Code)
	}
	if f := r.Contradiction; f != nil {
		a.Code, a.Shows, a.Sequence = string(f.Code), string(f.Shows), f.Sequence
		a.Values, a.SignedBoth = []string{f.Sides[0].Value, f.Sides[1].Value}, []string{}
		for _, s := range f.SignedBoth {
			a.SignedBoth = append(a.SignedBoth, strings.TrimSpace(string(s.Role)+" "+s.KeyID+" "+s.NodeID))
		}
		slices.Sort(a.SignedBoth)
		a.Witnessed = f.WitnessedBoth
	}
	return a
}
