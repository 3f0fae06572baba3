package partview_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/fleettest"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/partview"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/tamper"
)

// TestStore: a view of a store answers as a case does: judged as it is read, and not judged
// at all.
func TestStore(t *testing.T) {
	for i, s := range tamper.Scripts() {
		if !chosen(i + 5) {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			e, _, err := s.Apply(fleettest.Evidence(t, fleet.Scene))
			if err != nil {
				t.Fatal(err)
			}
			dir, root := t.TempDir(), fleettest.Root(t, e)
			given := filepath.Join(dir, "evidence")
			if err := e.Write(given); err != nil {
				t.Fatal(err)
			}
			c, err := casefile.OpenRead(fleettest.Case(t, dir, []string{given}))
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			ofCase := evidence.OfCase(c)
			defer ofCase.Close()
			want := testimony(t, ofCase, root)
			f := storeOf(t, filepath.Join(dir, "store.db"), given)
			for _, judge := range []*walk.Judge{nil, walk.NewJudge(root)} {
				compare(t, want, testimony(t, viewOfStore(t, f, judge), root))
			}
			sameVerdict(t, ofCase, viewOfStore(t, f, walk.NewJudge(root)), root)
		})
	}
}

// storeOf makes a store of evidence.
func storeOf(t *testing.T, path, given string) *store.File {
	t.Helper()
	w, err := store.OpenWrite(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ingest.Paths(t.Context(), w, []string{given}, ingest.Options{Workers: 1, Read: limits}, nil); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := store.OpenRead(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func viewOfStore(t *testing.T, f *store.File, judge *walk.Judge) *partview.View {
	t.Helper()
	v, err := partview.New(context.WithoutCancel(t.Context()), f.Content,
		partview.Options{Read: limits, Judge: judge, Workers: 2, Line: f.CopyLine})
	if err != nil {
		t.Fatal(err)
	}
	return v.Bounded(5, 2)
}
