package store_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/partview"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/layout"
	"github.com/svc-edge/svc-verify/harness/tamper"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
)

var limits = read.Options{Limits: read.Limits{Unit: cases.LongestUnit}}

// some are paths of a fleet's evidence: logs, documents, and one store's export of the logs.
var some = []string{fleet.TenantLog, "journals", "bundles", fleet.Store("loki/query.jsonl")}

// laid writes evidence, or the files at some of its paths, and returns its path.
func laid(t *testing.T, e *fleet.Evidence, names ...string) (given string) {
	t.Helper()
	given = filepath.Join(t.TempDir(), "evidence")
	must.Do(t, e.Write(given, names...))
	return given
}

// pour makes a store of the evidence at a path, in runs of the given number of bytes of
// memory, or of the usual size if it is 0.
func pour(t *testing.T, given string, full int) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "store.db")
	w := must.Get(store.OpenWrite(path))(t)
	w.Bounded(full)
	options := ingest.Options{Workers: 1, Read: limits, ChunkRecords: 7}
	must.Get(ingest.Paths(t.Context(), w, []string{given}, options, nil))(t)
	must.Do(t, w.Close())
	return path
}

// verdictOn is the verdict on a store, as text.
func verdictOn(t *testing.T, path string, root *trust.Root) string {
	t.Helper()
	f := must.Get(store.OpenRead(path))(t)
	defer f.Close()
	options := partview.Options{Read: limits, Judge: walk.NewJudge(root), Workers: 2, Line: f.CopyLine}
	v := must.Get(partview.New(t.Context(), f.Content, options))(t)
	r := must.Get(examine.Of(t.Context(), v, root, examine.Options{}))(t)
	return string(must.Get(json.MarshalIndent(r, "", " "))(t))
}

// trySmallRuns holds a store of very small runs, which are merged, against one of runs of usual size.
func trySmallRuns(t *testing.T, e *fleet.Evidence, verdict bool, names ...string) {
	t.Helper()
	given := laid(t, e, names...)
	usual, small := pour(t, given, 0), pour(t, given, 20<<10)
	check.Do(t, checked(t, usual), checked(t, small))
	if want, got := listing(t, usual), listing(t, small); got != want {
		t.Errorf("small runs: %s", difference(want, got))
	}
	if root := cases.Root(t, e); verdict {
		if want, got := verdictOn(t, usual, root), verdictOn(t, small, root); got != want {
			t.Errorf("the verdict on small runs: %s", difference(want, got))
		}
	}
}

// TestSmallRuns: a store holds together, and its content and the verdict do not depend on its runs,
// whatever was done to the evidence and however it is laid out.
func TestSmallRuns(t *testing.T) {
	e, every := cases.Evidence(t, fleet.Scene), chance.Sized(2, 1000)
	for i, s := range tamper.Scripts() {
		if i%every == 0 {
			t.Run(s.Name, func(t *testing.T) {
				after, damage := must.Two(s.Apply(e))(t)
				trySmallRuns(t, after, i%8 == 0, tamper.Given(e, after, damage)...)
			})
		}
	}
	for i, l := range must.Get(layout.All(e))(t) {
		if i%every == 0 {
			t.Run(l.Name, func(t *testing.T) { trySmallRuns(t, &fleet.Evidence{Files: l.Files}, i%8 == 0) })
		}
	}
}
