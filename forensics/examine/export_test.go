package examine

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/walk/walktest"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/forge"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// anchored is a world in which Berlin has 33 events, 30 of them anchored.
func anchored(seed uint64) *walktest.World {
	w := walktest.NewWorld(seed)
	w.Fill(walktest.Berlin, 30)
	w.Report(walktest.Berlin)
	w.Cursor(walktest.Berlin)
	w.Fill(walktest.Berlin, 3)
	return w
}

// caseOf makes a case of a world.
func caseOf(t *testing.T, w *walktest.World) string {
	t.Helper()
	dir := t.TempDir()
	var paths []string
	put := func(name string, lines []byte) {
		paths = append(paths, filepath.Join(dir, name))
		must.Do(t, os.WriteFile(filepath.Join(dir, name), lines, 0o600))
	}
	for i, log := range []facts.Log{walktest.Berlin, walktest.TenantLog} {
		put(fmt.Sprintf("%d.ndjson", i), linesOf(w.Copies[log]))
	}
	for i, d := range w.Docs {
		put(fmt.Sprintf("%d.json", i), seal.Canonical(d))
	}
	out := must.Get(store.OpenWrite(filepath.Join(dir, "case.db")))(t)
	must.Get(ingest.Paths(t.Context(), out, paths, ingest.Options{}, nil))(t)
	must.Do(t, out.Close())
	return filepath.Join(dir, "case.db")
}

func linesOf(copies []walktest.Copy) []byte {
	var b bytes.Buffer
	for _, c := range copies {
		b.Write(append(seal.Canonical(c.Object), '\n'))
	}
	return b.Bytes()
}

// exportOf exports Berlin's journal.
func exportOf(t *testing.T, path string, f store.Filter) (string, Exported) {
	t.Helper()
	c := must.Get(store.OpenCase(path, cases.As(1)))(t)
	defer c.Close()
	logs := must.Get(c.Logs(t.Context()))(t)
	i := slices.IndexFunc(logs, func(l facts.Log) bool { return l.LogID == walktest.Berlin.LogID })
	var b bytes.Buffer
	out := must.Get(Export(t.Context(), c, logs[i], f, &b))(t)
	return b.String(), out
}

// TestExportChooses: of copies that differ, the one is written that links to the
// others; where that does not tell, the one on the history that a walk found to be
// anchored; and else the first, with a count.
func TestExportChooses(t *testing.T) {
	berlin := walktest.Berlin
	rewritten := func(from, n int) func(*walktest.World) {
		return func(w *walktest.World) {
			w.Copies[berlin] = append(w.Copies[berlin], w.Rewrite(berlin, from, n, forge.AlterSalt)...)
		}
	}
	type counts struct{ contested, guessed int64 }
	seeds := uint64(chance.Sized(3, 1)) // so that the genuine one comes first by digest, and second
	for i, tt := range []struct {
		name            string
		damage          func(*walktest.World)
		genuine         bool // without a walk already
		without, walked counts
	}{
		{"altered", func(w *walktest.World) { w.AddAltered(berlin, 12, forge.AlterSalt) }, true, counts{1, 0},
			counts{1, 0}},
		{"altered and hashed again", func(w *walktest.World) {
			w.AddAltered(berlin, 12,
				forge.Rehash(forge.AlterSalt))
		}, true, counts{1, 0}, counts{1, 0}},
		{"the first altered", func(w *walktest.World) { w.AddAltered(berlin, 0, forge.Rehash(forge.AlterSalt)) }, true,
			counts{1, 0}, counts{1, 0}},
		{"the last altered", func(w *walktest.World) { w.AddAltered(berlin, 32, forge.AlterSalt) }, true, counts{1, 0},
			counts{1, 0}},
		{"the last altered and hashed again", func(w *walktest.World) {
			w.AddAltered(berlin, 32,
				forge.Rehash(forge.AlterSalt))
		}, false, counts{1, 1}, counts{1, 0}},
		{"the last altered, its link too", func(w *walktest.World) {
			w.AddAltered(berlin, 32, forge.Rehash(forge.AlterHash("previous_hash")))
		}, true, counts{1, 0}, counts{1, 0}},
		{"the last ones altered, their links too", func(w *walktest.World) {
			w.AddAltered(berlin, 31, forge.Rehash(forge.AlterHash("previous_hash")))
			w.AddAltered(berlin, 32, forge.Rehash(forge.AlterHash("previous_hash")))
		}, true, counts{2, 0}, counts{2, 0}},
		{"some in a row", func(w *walktest.World) {
			for i := 12; i < 20; i++ {
				w.AddAltered(berlin, i, forge.Rehash(forge.AlterSalt))
			}
		}, true, counts{8, 0}, counts{8, 0}},
		{"a second history that ends before", rewritten(14, 9), true, counts{9, 0}, counts{9, 0}},
		{"a second history as long", rewritten(14, 19), false, counts{19, 19}, counts{19, 0}},
		{"a second history above the anchor", rewritten(30, 2), true, counts{2, 0}, counts{2, 0}},
	} {
		for seed := range seeds {
			w := anchored(seed + uint64(i%2))
			want := string(linesOf(w.Copies[berlin]))
			tt.damage(w)
			path := caseOf(t, w)
			got, n := exportOf(t, path, store.Filter{})
			check.That(t, (!tt.genuine || got == want) && (counts{n.Contested, n.Guessed}) == tt.without && n.Written == 33,
				"%s, without a walk: %+v, genuine: %v", tt.name, n, got == want)
			must.Get(Examine(t.Context(), path, w.Root, Options{Case: []store.Option{cases.As(1)}}))(t)
			got, n = exportOf(t, path, store.Filter{})
			check.That(t, got == want && (counts{n.Contested, n.Guessed}) == tt.walked && n.Written == 33,
				"%s, after a walk: %+v, genuine: %v", tt.name, n, got == want)
			part, _ := exportOf(t, path, store.Filter{First: 16, Last: 33})
			check.That(t, part == string(linesOf(w.Copies[berlin][15:33])),
				"%s: a part is another than in the whole", tt.name)
		}
	}
}

// TestExportPrefersTheAnchored: although the other history goes further.
func TestExportPrefersTheAnchored(t *testing.T) {
	w := anchored(7)
	genuine := w.Copies[walktest.Berlin]
	other := w.Rewrite(walktest.Berlin, 14, 19, forge.AlterSalt)
	w.Copies[walktest.Berlin] = slices.Concat(genuine[:31], other)
	path := caseOf(t, w)
	if got, _ := exportOf(t, path, store.Filter{}); got != string(linesOf(slices.Concat(genuine[:14], other))) {
		t.Error("without a walk, the longer one is not written")
	}
	must.Get(Examine(t.Context(), path, w.Root, Options{Case: []store.Option{cases.As(1)}}))(t)
	got, n := exportOf(t, path, store.Filter{})
	check.That(t, got == string(linesOf(slices.Concat(genuine[:31], other[17:]))) &&
		n.Contested == 17 && n.Guessed == 0, "after a walk, the anchored one is not written: %+v", n)
}
