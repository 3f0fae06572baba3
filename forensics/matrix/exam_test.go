package matrix

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/trust"
)

// length is how long the tenant log is at least: enough for a rotation of keys, a
// revocation and a pause.
const length = 250

// longestUnit is the limit of a record: below the longest line that a script
// makes, and above all others.
const longestUnit = 60_000

// played are the scenes, each of which is played once.
var played sync.Map

// evidence returns the evidence of a scene.
func evidence(t *testing.T, scene string) *fleet.Evidence {
	t.Helper()
	once, _ := played.LoadOrStore(scene, sync.OnceValues(func() (*fleet.Evidence, error) { return fleet.Build(scene, 1, length) }))
	e, err := once.(func() (*fleet.Evidence, error))()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// pinned is the trust file of evidence, or the usual one if it is gone.
func pinned(t *testing.T, e *fleet.Evidence) *trust.Root {
	t.Helper()
	if _, ok := e.Files[fleet.TrustFile]; !ok {
		e = evidence(t, fleet.Scene)
	}
	doc, err := e.Content(fleet.TrustFile)
	if err != nil {
		t.Fatal(err)
	}
	root, err := trust.Parse(doc)
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// examineFiles ingests files and examines them.
func examineFiles(t *testing.T, files map[string]fleet.File, root *trust.Root) *verdict.Result {
	t.Helper()
	dir := t.TempDir()
	given := filepath.Join(dir, "evidence")
	if err := (&fleet.Evidence{Files: files}).Write(given); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "case.db")
	w, err := casefile.OpenWrite(path)
	if err != nil {
		t.Fatal(err)
	}
	options := ingest.Options{Workers: 1, Read: read.Options{Limits: read.Limits{Unit: longestUnit}}}
	if _, err := ingest.Paths(t.Context(), w, []string{given}, options, nil); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := examine.Examine(t.Context(), path, root, examine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// say is a finding without the words.
func say(f finding.Finding) string {
	return fmt.Sprintf("%s %s %s %d..%d", f.Severity, f.Code, f.LogID, f.Sequence, f.LastSequence)
}
