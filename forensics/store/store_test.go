package store_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/fleettest"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/partview"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/forensics/scratch"
	"github.com/svc-edge/svc-verify/forensics/share"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/layout"
	"github.com/svc-edge/svc-verify/harness/tamper"
	"github.com/svc-edge/svc-verify/trust"
)

var limits = read.Options{Limits: read.Limits{Unit: fleettest.LongestUnit}}

// pour makes a store of paths.
func pour(t *testing.T, path string, paths []string, full int) {
	t.Helper()
	w, err := store.OpenWrite(path)
	if err != nil {
		t.Fatal(err)
	}
	w.Bounded(full)
	options := ingest.Options{Workers: 1, Read: limits, ChunkRecords: 7}
	if _, err := ingest.Paths(t.Context(), w, paths, options, nil); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// view opens a store as the evidence of a verdict.
func view(t *testing.T, path string, root *trust.Root) *partview.View {
	t.Helper()
	f, err := store.OpenRead(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	v, err := partview.New(t.Context(), f.Content, partview.Options{Read: limits, Judge: walk.NewJudge(root), Workers: 2,
		Line: f.CopyLine})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func written(t *testing.T, r *verdict.Result, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(doc)
}

// sameVerdict holds the verdict over a case of very small runs, which are merged, against that
// over one of runs of usual size, which is the verdict of a check that makes no case.
func sameVerdict(t *testing.T, e *fleet.Evidence) {
	t.Helper()
	dir, root := t.TempDir(), fleettest.Root(t, e)
	given := filepath.Join(dir, "evidence")
	if err := e.Write(given); err != nil {
		t.Fatal(err)
	}
	alone, err := scratch.Read(t.Context(), []string{given}, root, share.Options{
		Options: ingest.Options{Workers: 1, Read: limits}})
	if err != nil {
		t.Fatal(err)
	}
	defer alone.Close()
	r, err := alone.Examine(t.Context(), examine.Options{})
	want := written(t, r, err)
	for name, full := range map[string]int{"usual": 0, "small": 20 << 10} {
		path := filepath.Join(dir, name+".db")
		pour(t, path, []string{given}, full)
		r, err := examine.Of(t.Context(), view(t, path, root), root, examine.Options{})
		if got := written(t, r, err); got != want {
			t.Errorf("%s runs: %s", name, difference(want, got))
		}
	}
}

// TestTampered: over evidence that was tampered with, a case gives the verdict of a check that makes none.
func TestTampered(t *testing.T) {
	for i, s := range tamper.Scripts() {
		if testing.Short() && i%9 != 0 {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			e, _, err := s.Apply(fleettest.Evidence(t, fleet.Scene))
			if err != nil {
				t.Fatal(err)
			}
			sameVerdict(t, e)
		})
	}
}

// TestLayouts: over each layout, a case gives the verdict of a check that makes none.
func TestLayouts(t *testing.T) {
	e := fleettest.Evidence(t, fleet.Scene)
	all, err := layout.All(e)
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range all {
		if testing.Short() && i%9 != 0 {
			continue
		}
		t.Run(l.Name, func(t *testing.T) {
			laidOut := e.Clone()
			laidOut.Files = l.Files
			sameVerdict(t, laidOut)
		})
	}
}
