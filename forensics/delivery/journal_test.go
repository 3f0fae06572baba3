package delivery_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/delivery"
	"github.com/svc-edge/svc-verify/forensics/fleettest"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestJournals: what counts as a log's own journal, whatever it is called.
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
		in := must.Get(store.OpenCase(path, fleettest.As(1)))(t)
		r := must.Get(delivery.Run(t.Context(), in, nil))(t)
		var of []string
		for _, j := range r.Journals {
			of = append(of, j.LogID)
		}
		check.That(t, slices.Equal(of, c.of), "%s: the journal of %q, want %q", name, of, c.of)
		must.Do(t, in.Close())
	}
}
