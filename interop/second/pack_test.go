package second_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/svc-edge/svc-verify/fixtures"
	"github.com/svc-edge/svc-verify/forensics/pack"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// packCases are the conformance cases of packs.
func packCases(t *testing.T) (folder string, cases []fixtures.Pack) {
	t.Helper()
	folder = filepath.Join("..", "..", "fixtures", "packs")
	cases, err := fixtures.ReadSamples[fixtures.PackAnswer](os.DirFS(folder))
	must.That(t, err == nil && len(cases) >= 110, "%d cases: %v", len(cases), err)
	return folder, cases
}

// TestPacksAreJudgedAlike: the second verifier gives every conformance case of packs the answer
// that it expects, as the first one does in forensics/pack.
func TestPacksAreJudgedAlike(t *testing.T) {
	folder, cases := packCases(t)
	for i, their := range theirPackAnswers(t, folder, len(cases)) {
		check.Equal(t, packDiff(cases[i].Expect, their), "", "%s: - expected, + the second verifier", cases[i].Name)
	}
}

func packDiff(our, their fixtures.PackAnswer) string {
	return cmp.Diff(our, their, cmpopts.EquateEmpty())
}

// theirPackAnswers are the second verifier's answers to the cases of a folder.
func theirPackAnswers(t *testing.T, folder string, cases int) (all []fixtures.PackAnswer) {
	t.Helper()
	for _, line := range answers(t, "pack.mjs", folder, cases) {
		var a fixtures.PackAnswer
		must.Do(t, json.Unmarshal(line, &a))
		all = append(all, a)
	}
	return all
}

// ourPackAnswer is the first verifier's answer.
func ourPackAnswer(t *testing.T, c fixtures.Pack) fixtures.PackAnswer {
	t.Helper()
	r := pack.Verify(c.Files["pack.jsonl"], must.Get(trust.Parse(c.Files["trust.json"]))(t))
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
	for _, one := range r.Shown {
		a.Contradictions = append(a.Contradictions, fmt.Sprintf("%s %d", one.LogID, one.Sequence))
	}
	slices.Sort(a.Contradictions)
	return a
}
