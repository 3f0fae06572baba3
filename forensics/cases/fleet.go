package cases

import (
	"path/filepath"
	"sync"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/trust"
)

// Length is how long the tenant log is at least: enough for a rotation of keys, a
// revocation and a pause, and little enough for hundreds of cases.
const Length = 250

// LongestUnit is the limit of a record: below the longest line that a script of
// package tamper makes, and above all others.
const LongestUnit = 60_000

// played are the scenes, each played once.
var played sync.Map

// Evidence returns the evidence of a scene.
func Evidence(t testing.TB, scene string) *fleet.Evidence {
	t.Helper()
	once, _ := played.LoadOrStore(scene, sync.OnceValues(func() (*fleet.Evidence, error) {
		return fleet.Build(scene, 1, Length)
	}))
	e := must.Get(once.(func() (*fleet.Evidence, error))())(t)
	return e
}

// Root returns the trust file of evidence, or the usual one if it has none.
func Root(t testing.TB, e *fleet.Evidence) *trust.Root {
	t.Helper()
	if _, ok := e.Files[fleet.TrustFile]; !ok {
		e = Evidence(t, fleet.Scene)
	}
	doc := must.Get(e.Content(fleet.TrustFile))(t)
	root := must.Get(trust.Parse(doc))(t)
	return root
}

// Ingest ingests files and folders into the case of a folder, and returns its path.
func Ingest(t testing.TB, dir string, paths []string, as ...store.Option) string {
	t.Helper()
	path := filepath.Join(dir, "case.db")
	w := must.Get(store.OpenWrite(path, as...))(t)
	options := ingest.Options{Workers: 1, Read: read.Options{Limits: read.Limits{Unit: LongestUnit}}}
	must.Get(ingest.Paths(t.Context(), w, paths, options, nil))(t)
	must.Do(t, w.Close())
	return path
}

// IngestEdited writes some files of forged evidence, ingests them into a case, and returns its path and the
// trust file.
func IngestEdited(t testing.TB, e *fleet.Edited, given []string, as ...store.Option) (string, *trust.Root) {
	t.Helper()
	if e.Err != nil {
		t.Fatal(e.Err)
	}
	dir := t.TempDir()
	must.Do(t, e.Write(filepath.Join(dir, "evidence"), given...))
	var paths []string
	for _, name := range given {
		paths = append(paths, filepath.Join(dir, "evidence", name))
	}
	return Ingest(t, dir, paths, as...), Root(t, e.Evidence)
}

// As opens a case as one of several users, each of whom has a key.
func As(user byte) store.Option {
	key, err := store.NewKey([store.KeySize]byte{user})
	if err != nil {
		panic(err)
	}
	return store.With(key)
}
