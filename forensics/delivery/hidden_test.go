package delivery_test

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

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
		if got := len(hidden(t, c, 4, 6)) == 1; got != tt.want {
			t.Errorf("%s of %d bytes: %t", tt.code, tt.length, got)
		}
		for _, beside := range [][2]int64{{-1, 5}, {5, 9}} {
			if got := hidden(t, c, beside[0], beside[1]); len(got) > 0 {
				t.Errorf("%s between %d: %d", tt.code, beside, got)
			}
		}
	}
}

// TestRowsOfManySpans: a row that stands for many spans is between two records if
// any of the spans can be.
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
	if want := []string{"3-3 1", "10-30 9", "40-40 1"}; !slices.Equal(all, want) {
		t.Errorf("%q, want %q", all, want)
	}
}
