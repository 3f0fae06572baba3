package history_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-edge/svc-verify/archive/history"
	"github.com/svc-edge/svc-verify/archive/sealkey"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/fixtures"
	"github.com/svc-edge/svc-verify/fixtures/casefiles"
	"github.com/svc-edge/svc-verify/internal/form"
)

var update = flag.Bool("update", false, "write the conformance cases")

var folder = filepath.Join("..", "..", "fixtures", "histories")

// judged judges a conformance case.
func judged(t *testing.T, c fixtures.History) fixtures.HistoryAnswer {
	t.Helper()
	trusted, err := sealkey.ParseTrust(c.SealTrust)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, doc := range c.Files {
		if err := os.WriteFile(filepath.Join(dir, name), doc, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var q history.Question
	q.At, _ = form.Time(c.Ask.At)
	if d, ok := form.Digest(c.Ask.Trust); ok {
		q.Trust = &d
	}
	if d, ok := form.Digest(c.Ask.Expect); ok {
		q.Expect = &d
	}
	r, err := history.Folder(dir).Verify(trusted, q)
	if err != nil {
		t.Fatal(err)
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
	cases, err := fixtures.Histories(os.DirFS(folder))
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) != len(made) || len(cases) < 30 {
		t.Fatalf("%d cases on disk, %d generated", len(cases), len(made))
	}
	seen := map[finding.Code]bool{}
	for _, c := range cases {
		if got := judged(t, c); got != c.Expect {
			t.Errorf("%s: %+v, expected %+v", c.Name, got, c.Expect)
		}
		seen[finding.Code(c.Expect.Finding)] = true
	}
	for _, e := range finding.OfHistories() {
		if !seen[e.Code] {
			t.Errorf("no case of %s", e.Code)
		}
	}
}
