package second_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/contradiction"
	"github.com/svc-edge/svc-verify/fixtures"
	"github.com/svc-edge/svc-verify/harness/seal"
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

// answers runs a program of the second verifier, and returns its answer to each case of a folder.
func answers(t *testing.T, program, folder string, cases int) [][]byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	output, err := exec.CommandContext(ctx, must.Program(t, "node"), program, folder).Output() // #nosec G204 -- a test
	must.Do(t, err)
	lines := bytes.Split(bytes.TrimSpace(output), []byte("\n"))
	must.That(t, len(lines) == cases, "%d answers to %d cases", len(lines), cases)
	return lines
}

// TestContradictionsAreJudgedAlike: of every conformance case of contradiction
// files, the verifiers say the same, down to the values and the keys.
func TestContradictionsAreJudgedAlike(t *testing.T) {
	folder := filepath.Join("..", "..", "fixtures", "contradictions")
	cases, err := fixtures.ReadSamples[fixtures.ContradictionAnswer](os.DirFS(folder))
	must.That(t, err == nil && len(cases) >= 40, "%d cases: %v", len(cases), err)
	lines := answers(t, "contradiction.mjs", folder, len(cases))
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

// TestFreshnessIsJudgedAlike: the verifiers agree on the freshness of genuine bundles, a
// millisecond to both sides of every bound, and of bundles whose receipts do not hold.
func TestFreshnessIsJudgedAlike(t *testing.T) {
	all := must.Get(fixtures.Cases())(t)
	var cases []fixtures.Case
	for _, c := range all {
		family, _, _ := strings.Cut(c.Name, "/")
		if slices.Contains([]string{"status.fresh", "verified", "checkpoint.witnessed"}, family) &&
			!strings.Contains(c.Name, "large") {
			cases = append(cases, asked(c)...)
		}
	}
	least := 20
	if testing.Short() { // a sample, which comes to all bounds in turn
		least = 5
		all, cases = cases, nil
		for i := 0; i < len(all); i += 4 {
			cases = append(cases, all[i])
		}
	}
	verdicts := map[string]int{}
	t.Logf("%d cases", len(cases))
	judgements := second(t, cases)
	for i, c := range cases {
		our := must.Get(c.Run())(t)
		their := judgements[i]
		if their.Name != c.Name || their.Verdict != our.Verdict || !slices.Equal(their.Failed, our.Failed) ||
			!slices.Equal(their.Empty, our.Empty) {
			t.Errorf("%s at %s, %d s: %s, failed %v, empty %v; the second verifier says %+v",
				c.Name, c.Policy.At, c.Policy.MaxAgeSeconds, our.Verdict, our.Failed, our.Empty, their)
		}
		verdicts[our.Verdict+" "+our.Code]++
	}
	for _, want := range []string{"verified ", "inconclusive status.stale", "inconclusive status.later"} {
		check.That(t, verdicts[want] >= least, "%d are %s; of all: %v", verdicts[want], want, verdicts)
	}
}

// asked returns a case with policies whose limits are at, or a millisecond away from, a time
// of the checkpoint or of a receipt.
func asked(c fixtures.Case) (cases []fixtures.Case) {
	in := bundle.Open(c.Bundle)
	if in.Bundle == nil || len(in.Faults) > 0 {
		return nil
	}
	const age = 86400
	created := in.Bundle.Checkpoint.Unverified().CreatedAt
	at := []time.Time{created.Add(-300 * time.Second), created.Add(age * time.Second)}
	for _, w := range in.Bundle.Witnesses {
		at = append(at, w.Unverified().WitnessedAt.Add(age*time.Second))
	}
	for _, limit := range at {
		for beside := -time.Millisecond; beside <= time.Millisecond; beside += time.Millisecond {
			if limit.Year() > 9999 {
				continue
			}
			one := c
			one.Name = fmt.Sprintf("%s %d", c.Name, len(cases))
			one.Policy.At, one.Policy.MaxAgeSeconds = seal.Time(limit.Add(beside)), age
			cases = append(cases, one)
		}
	}
	return cases
}
