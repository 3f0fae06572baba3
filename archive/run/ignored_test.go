package run_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestIgnoredBack: the member ignored is written and read again, up to each limit.
func TestIgnoredBack(t *testing.T) {
	many := &run.Ignored{Patterns: listing.Patterns{"**/*.log", "a\\[b"}}
	long := &run.Ignored{Patterns: listing.Patterns{"*"}}
	for i := range 100 {
		many.Count(fmt.Sprintf("%03d.log", i))
		long.Count(strings.Repeat("a", i+1) + strings.Repeat("/b", 3000))
	}
	check.That(t, many.Objects == 100 && len(many.Paths) == run.MaxIgnoredPaths, "%d paths", len(many.Paths))
	check.That(t, long.Objects == 100 && len(long.Paths) == 2, "%d long paths", len(long.Paths))
	// A short path after a long one is not named: the paths are the first.
	long.Count("z")
	check.Equal(t, len(long.Paths), 2, "long paths:")
	for _, g := range []*run.Ignored{nil, many, long, {Patterns: many.Patterns, Paths: nil}} {
		r := example()
		r.Ignored = g
		doc := r.Document()
		got, err := run.Parse(doc)
		diff := cmp.Diff(r, got)
		check.That(t, err == nil && diff == "" && ijson.IsCanonical(doc), "%v\n%s", err, diff)
	}
}

// TestIgnoredDamaged: each member left out, or just beyond its bounds, is a fault.
func TestIgnoredDamaged(t *testing.T) {
	numbered := func(n int) (all []any) {
		for i := range n {
			all = append(all, fmt.Sprintf("p%03d", i))
		}
		return all
	}
	for what, damage := range map[string]func(map[string]any){
		"":                     func(map[string]any) {},
		"no patterns":          func(m map[string]any) { m["patterns"] = []any{} },
		"no list of patterns":  func(m map[string]any) { delete(m, "patterns") },
		"too many patterns":    func(m map[string]any) { m["patterns"] = numbered(run.MaxPatterns + 1) },
		"another order":        func(m map[string]any) { m["patterns"] = []any{"b", "a"} },
		"a pattern twice":      func(m map[string]any) { m["patterns"] = []any{"a", "a"} },
		"an empty pattern":     func(m map[string]any) { m["patterns"] = []any{""} },
		"no pattern":           func(m map[string]any) { m["patterns"] = []any{"[a"} },
		"a control character":  func(m map[string]any) { m["patterns"] = []any{"a\x1b"} },
		"a long pattern":       func(m map[string]any) { m["patterns"] = []any{strings.Repeat("a", run.MaxText+1)} },
		"no number":            func(m map[string]any) { delete(m, "objects") },
		"fewer than the paths": func(m map[string]any) { m["objects"] = 1 },
		"no paths":             func(m map[string]any) { delete(m, "paths") },
		"paths in disorder":    func(m map[string]any) { m["paths"] = []any{"b", "a"} },
		"a path that climbs":   func(m map[string]any) { m["paths"] = []any{"../a"} },
		"too many paths": func(m map[string]any) {
			m["paths"], m["objects"] = numbered(run.MaxIgnoredPaths+1), run.MaxIgnoredPaths+1
		},
		"another member": func(m map[string]any) { m["more"] = 1 },
	} {
		r := example()
		r.Ignored = &run.Ignored{Patterns: listing.Patterns{"a", "b"}, Objects: 2, Paths: []string{"a", "b"}}
		var m map[string]any
		must.Do(t, json.Unmarshal(r.Document(), &m))
		damage(m["ignored"].(map[string]any))
		_, err := run.Parse(canonical(t, m))
		check.That(t, (err == nil) == (what == ""), "%s: %v", what, err)
	}
}
