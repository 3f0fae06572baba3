package history_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/archive/history"
	"github.com/svc-edge/svc-verify/archive/sealkey"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/fixtures"
	"github.com/svc-edge/svc-verify/fixtures/casefiles"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/must"
)

var update = flag.Bool("update", false, "write the conformance cases")

var folder = filepath.Join("..", "..", "fixtures", "histories")

// judged judges a conformance case.
func judged(t *testing.T, c fixtures.History) fixtures.HistoryAnswer {
	t.Helper()
	trusted := must.Get(sealkey.ParseTrust(c.Files["seal-trust.json"]))(t)
	dir := t.TempDir()
	for name, doc := range c.Below("history") {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), doc, 0o600))
	}
	var q history.Question
	q.At, _ = form.Time(c.Ask.At)
	if d, ok := form.Digest(c.Ask.Trust); ok {
		q.Trust = &d
	}
	if d, ok := form.Digest(c.Ask.Expect); ok {
		q.Expect = &d
	}
	r := must.Get(history.Folder(dir).Verify(trusted, q))(t)
	signed := []finding.Code{sealkey.SignatureInvalid, history.HistoryOrder}
	if r.Entries < 3 && len(r.NotExamined) == 0 && len(r.Findings) > 0 && slices.Contains(signed, r.Findings[0].Code) {
		t.Errorf("%s: what comes after is not said", c.Name)
	}
	got := fixtures.HistoryAnswer{Verdict: string(r.Verdict), Entries: r.Entries, InForce: r.InForce}
	if len(r.Findings) > 0 {
		got.Finding, got.Path = string(r.Findings[0].Code), r.Findings[0].Path
	}
	return got
}

// TestConformance: every case has the answer that it expects, every finding has a case,
// and the files are what the generator makes.
func TestConformance(t *testing.T) {
	made := makeCases(t)
	casefiles.Keep(t, folder, *update, made)
	cases := must.Get(fixtures.ReadSamples[fixtures.HistoryAnswer](os.DirFS(folder)))(t)
	must.That(t, len(cases) == len(made) && len(cases) >= 30, "%d cases on disk, %d generated", len(cases), len(made))
	seen := map[finding.Code]bool{}
	for _, c := range cases {
		check.Equal(t, judged(t, c), c.Expect, "%s", c.Name)
		seen[finding.Code(c.Expect.Finding)] = true
	}
	codes := []finding.Code{history.HistoryMalformed, history.HistoryTrustAltered, history.HistoryTrustMissing,
		history.HistoryEmpty, history.HistoryCut, sealkey.SignatureInvalid, sealkey.KeyUnknown, sealkey.KeyNotValid}
	for _, e := range finding.Codes("histories") {
		codes = append(codes, e.Code)
	}
	for _, code := range codes {
		check.That(t, seen[code], "no case of %s", code)
	}
}
