package delivery_test

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/delivery"
	"github.com/svc-edge/svc-verify/forensics/fleettest"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// inCase is the memory of a case.
type inCase struct{ *store.Writer }

var arrivals = store.Pass{Name: "arrivals"}

func (m inCase) Recall(ctx context.Context) ([]byte, bool, error) {
	return m.Kept().Pass(ctx, arrivals)
}

func (m inCase) Keep(doc []byte) error { return m.Writer.Keep(arrivals, doc) }

// kept returns what is found, and what is found again from what the case kept of
// it.
func kept(t *testing.T, path string) (first, again delivery.Report) {
	t.Helper()
	for _, found := range []*delivery.Report{&first, &again} {
		w := must.Get(store.OpenWrite(path, fleettest.As(1)))(t)
		*found = must.Get(delivery.Run(t.Context(), must.Get(w.Case(t.Context(), store.Judging{}))(t), inCase{w}))(t)
		if _, ok, err := (inCase{w}).Recall(t.Context()); ok != (found == &again) || err != nil {
			t.Errorf("before it is committed: %t, %v", ok, err)
		}
		must.Do(t, w.Commit())
		must.Do(t, w.Close())
	}
	return first, again
}

// TestKept: what is kept says the same as what was found, and counts for nothing
// once something is added, or a path is given.
func TestKept(t *testing.T) {
	lines := newWriter(node).events(30)
	path, dir := filepath.Join(t.TempDir(), "case.db"), t.TempDir()
	seen := 0
	for _, name := range []string{"a", "b", "c", "d"} {
		switch name {
		case "a":
			add(t, path, dir, files{name: dump(records("x", lines[:20]...)...)}, ingest.Options{})
		case "b":
			add(t, path, dir, files{name: dump(records("x", lines[10:]...)...)}, ingest.Options{})
		case "c":
			add(t, path, dir, files{name: journal(lines[:5]...)}, ingest.Options{})
		case "d": // known already, under another path
			add(t, path, dir, files{name: journal(lines[:5]...)}, ingest.Options{})
		}
		first, again := kept(t, path)
		diff := cmp.Diff(first, again)
		check.That(t, diff == "", "with %s, found and kept differ:\n%s", name, diff)
		n := len(first.Findings)
		check.That(t, name == "a" || name == "d" || n > seen, "with %s: %d findings, no more than before", name, n)
		seen = len(first.Findings)
	}
}

// TestKeptIsUsed: it is what the case keeps that is said again, in the words of
// the program, unless it was kept under other rules.
func TestKeptIsUsed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "case.db")
	add(t, path, t.TempDir(), files{"a": journal(newWriter(node).events(3)...)}, ingest.Options{})
	for doc, want := range map[string][]finding.Code{
		`{"rules":3,"findings":[{"code":"journal.quiet","sequence":1,"message":"other words"}]}`: {finding.Quiet},
		`{"rules":2,"findings":[{"code":"journal.quiet","sequence":1}]}`:                         nil,
	} {
		w := must.Get(store.OpenWrite(path, fleettest.As(1)))(t)
		must.Do(t, inCase{w}.Keep([]byte(doc)))
		must.Do(t, w.Commit())
		r := must.Get(delivery.Run(t.Context(), must.Get(w.Case(t.Context(), store.Judging{}))(t), inCase{w}))(t)
		var codes []finding.Code
		for _, f := range r.Findings {
			codes = append(codes, f.Code)
			check.That(t, f.Message != "other words" && f.Severity != "", "%s: %q, %q", f.Code, f.Message, f.Severity)
		}
		check.That(t, slices.Equal(codes, want), "%s: %v, want %v", doc, codes, want)
		must.Do(t, w.Close())
	}
}
