package partview_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/partview"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/must"
)

// caseOf makes a case of evidence in a folder.
func caseOf(t *testing.T, dir string, given ...string) *store.File {
	t.Helper()
	path := filepath.Join(dir, "case.db")
	w := must.Get(store.OpenWrite(path))(t)
	must.Get(ingest.Paths(t.Context(), w, given, ingest.Options{Workers: 1, Read: limits}, nil))(t)
	must.Do(t, w.Close())
	f := must.Get(store.OpenRead(path))(t)
	t.Cleanup(func() { f.Close() })
	return f
}

// viewOfCase is a view of a case. The judge can be nil.
func viewOfCase(t *testing.T, f *store.File, judge *walk.Judge) *partview.View {
	t.Helper()
	v := must.Get(partview.New(context.WithoutCancel(t.Context()), f.Content,
		partview.Options{Read: limits, Judge: judge, Workers: 2, Line: f.CopyLine}))(t)
	return v.Bounded(5, 2)
}
