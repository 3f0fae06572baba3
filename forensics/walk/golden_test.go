package walk_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/must"
)

var update = flag.Bool("update", false, "write the golden files anew")

func compareGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		must.Do(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want := must.Get(os.ReadFile(path))(t)
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); d != "" {
		t.Errorf("%s (run with -update to accept):\n%s", path, d)
	}
}

// walkedLines walks a world, and returns the result, and each part of it and of the facts as a line.
func walkedLines(t *testing.T, w *world, split int) (*walk.Result, []string) {
	t.Helper()
	var saw walk.Facts
	r, _ := must.Two(walk.RunCut(t.Context(), w.Reader(), w.Root, walk.Options{Workers: 2,
		Facts: func(f walk.Facts) { saw = f }}, split))(t)
	var parts []any
	for _, l := range r.Logs {
		parts = append(parts, l, saw.Logs[l.Log()])
	}
	for _, f := range r.Findings {
		parts = append(parts, f)
	}
	for _, u := range saw.Keys {
		parts = append(parts, u)
	}
	var lines []string
	for _, p := range parts {
		lines = append(lines, string(must.Get(json.Marshal(p))(t)))
	}
	return r, lines
}
