package delivery_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/forensics/delivery"
	"github.com/svc-edge/svc-verify/forensics/facts"
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

// kept returns a fresh report, and the report that the case's cache yields.
func kept(t *testing.T, path string) (first, again delivery.Report) {
	t.Helper()
	for _, found := range []*delivery.Report{&first, &again} {
		w := must.Get(store.OpenWrite(path, cases.As(1)))(t)
		*found = must.Get(delivery.Run(t.Context(), must.Get(w.Case(t.Context(), store.Judging{}))(t), inCase{w}))(t)
		_, ok, err := (inCase{w}).Recall(t.Context())
		check.That(t, ok == (found == &again) && err == nil, "before it is committed: %t, %v", ok, err)
		must.Do(t, w.Commit())
		must.Do(t, w.Close())
	}
	return first, again
}

// TestKept: the cached report equals the fresh one, and is ignored once evidence or a path is
// added.
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

// TestKeptIsUsed: the case's cached findings are reported again, in the words of the program,
// unless they were cached under other rules.
func TestKeptIsUsed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "case.db")
	add(t, path, t.TempDir(), files{"a": journal(newWriter(node).events(3)...)}, ingest.Options{})
	for doc, want := range map[string][]finding.Code{
		`{"rules":3,"findings":[{"code":"journal.quiet","sequence":1,"message":"other words"}]}`: {finding.Quiet},
		`{"rules":2,"findings":[{"code":"journal.quiet","sequence":1}]}`:                         nil,
	} {
		w := must.Get(store.OpenWrite(path, cases.As(1)))(t)
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

// TestJournals: which files count as a log's own journal, whatever they are called.
func TestJournals(t *testing.T) {
	const other = "node/b"
	here, there := newWriter(node).events(40), newWriter(other).events(40)
	for name, c := range map[string]struct {
		content []byte
		of      []string
	}{
		"journal.ndjson":         {journal(here...), []string{node}},
		"loki.jsonl":             {journal(here...), []string{node}}, // the name does not decide
		"a hole":                 {journal(slices.Concat(here[:9], here[20:])...), []string{node}},
		"another order":          {journal(slices.Concat(here[9:], here[:9])...), []string{node}},
		"lines twice":            {journal(slices.Concat(here, here)...), []string{node}},
		"one event":              {journal(here[3]), []string{node}},
		"a stray line":           {journal(slices.Concat(here[:9], there[:1])...), []string{node}},
		"one stray line more":    {journal(slices.Concat(here[:9], there[:2])...), nil},
		"a stray line, twice":    {journal(slices.Concat(here[:9], there[:1], there[:1])...), []string{node}},
		"both logs":              {journal(slices.Concat(here, there)...), nil},
		node + ".ndjson":         {dump(records("x", here...)...), nil}, // nor does this one
		"a line among an export": {slices.Concat(dump(records("x", here...)...), journal(here[0])), nil},
	} {
		path := filepath.Join(t.TempDir(), "case.db")
		add(t, path, t.TempDir(), files{name: c.content}, ingest.Options{})
		in := must.Get(store.OpenCase(path, cases.As(1)))(t)
		r := must.Get(delivery.Run(t.Context(), in, nil))(t)
		var of []string
		for _, j := range r.Journals {
			of = append(of, j.LogID)
		}
		check.That(t, slices.Equal(of, c.of), "%s: the journal of %q, want %q", name, of, c.of)
		must.Do(t, in.Close())
	}
}

// skipped makes a case with one source in which these spans could not be read.
func skipped(t *testing.T, skips ...facts.FoundSkip) *store.Case {
	t.Helper()
	path := filepath.Join(t.TempDir(), "case.db")
	w := must.Get(store.OpenWrite(path))(t)
	p := must.Get(w.Start(0, sha256.Sum256(nil)))(t)
	for _, s := range skips {
		must.Do(t, w.Add(&facts.Chunk{Source: p.Source, Containers: []facts.Container{{}},
			Skips: []facts.FoundSkip{s}}, p))
	}
	must.Do(t, w.Commit())
	must.Do(t, w.Close())
	c := must.Get(store.OpenCase(path))(t)
	t.Cleanup(func() { c.Close() })
	return c
}

// hidden returns the records of the spans that can hide an event between two.
func hidden(t *testing.T, c *store.Case, before, after int64) (records []int64) {
	t.Helper()
	for s, err := range c.HiddenBetween(t.Context(), 1, before, after) {
		must.Do(t, err)
		records = append(records, s.Record)
	}
	return records
}

// TestSpansThatHide: only where an event can have been lost is a gap anything else
// than a gap.
func TestSpansThatHide(t *testing.T) {
	for _, tt := range []struct {
		code   finding.Code
		length int64
		want   bool
	}{
		{finding.SourceUnparseable, 300, true},
		{finding.SourceTruncated, 0, true},
		{finding.SourceAmbiguous, 300, true},
		{finding.SourceAmbiguous, 0, false},
		{finding.SourceInvalidUTF8, 300, true},
		{finding.SourceInvalidUTF8, 0, false},
		{finding.SourceNoRecord, 300, false},
		{finding.SourceSeveral, 0, false},
		{"event.malformed", 300, true},
	} {
		c := skipped(t, facts.FoundSkip{Found: facts.Found{Record: 5, Length: tt.length}, Code: string(tt.code)})
		got := len(hidden(t, c, 4, 6)) == 1
		check.That(t, got == tt.want, "%s of %d bytes: %t", tt.code, tt.length, got)
		for _, beside := range [][2]int64{{-1, 5}, {5, 9}} {
			got := hidden(t, c, beside[0], beside[1])
			check.That(t, len(got) == 0, "%s between %d: %d", tt.code, beside, got)
		}
	}
}

// TestRowsOfManySpans: a row for many spans is between two records if any of the spans can be.
func TestRowsOfManySpans(t *testing.T) {
	span := func(record, through, spans, told int64) facts.FoundSkip {
		return facts.FoundSkip{Found: facts.Found{Record: record, Length: 2}, Code: string(finding.SourceUnparseable),
			Through: through, Spans: spans, Told: told}
	}
	c := skipped(t, span(3, 3, 1, 0), span(10, 20, 4, 0), span(10, 30, 9, 4), span(40, 0, 0, 0))
	for at, want := range map[[2]int64][]int64{
		{0, 3}: nil, {0, 4}: {3}, {3, 10}: nil, {4, 11}: {10}, {11, 12}: {10}, {25, 26}: {10}, {29, 40}: {10}, {30, 40}: nil,
		{30, 50}: {40}, {5, 50}: {10, 40},
	} {
		got := hidden(t, c, at[0], at[1])
		check.That(t, slices.Equal(got, want), "between %d: %d, want %d", at, got, want)
	}
	var all []string
	for s, err := range c.Skips(t.Context()) {
		must.Do(t, err)
		all = append(all, fmt.Sprint(s.Record, "-", s.Through, " ", s.Spans))
	}
	want := []string{"3-3 1", "10-30 9", "40-40 1"}
	check.That(t, slices.Equal(all, want), "%q, want %q", all, want)
}
