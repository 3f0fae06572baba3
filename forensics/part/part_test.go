package part_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// octets returns a content as the bytes of a part.
func octets(t rapid.TB, c part.Content, key *part.Key) []byte {
	t.Helper()
	var b bytes.Buffer
	must.OK(t, check.Err(part.Write(context.Background(), &b, c, key)), "%v", c)
	return b.Bytes()
}

// openFile opens a part.
func openFile(t rapid.TB, b []byte) *part.File {
	t.Helper()
	return must.Get(part.Open(context.Background(), bytes.NewReader(b), int64(len(b)), nil))(t)
}

// open returns the content of a part.
func open(t rapid.TB, b []byte) part.Content {
	t.Helper()
	return must.Get(part.Merge(openFile(t, b)))(t)
}

// filesOf returns contents as parts.
func filesOf(t rapid.TB, contents ...part.Content) (all []*part.File) {
	t.Helper()
	for _, c := range contents {
		all = append(all, openFile(t, octets(t, c, nil)))
	}
	return all
}

// joined returns contents merged into one.
func joined(t rapid.TB, contents ...part.Content) part.Content {
	t.Helper()
	return must.Get(part.Merge(filesOf(t, contents...)...))(t)
}

// merge returns the part that contents are together.
func merge(t rapid.TB, contents ...part.Content) []byte {
	t.Helper()
	return octets(t, joined(t, contents...), nil)
}

// whole returns the cuts of all sources.
func (w *world) whole() (cuts []cut) {
	for i, s := range w.sources {
		cuts = append(cuts, cut{i, 0, len(s.records)})
	}
	return cuts
}

// TestRoundTrip: a written part is read, and written again unchanged.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		m := w.content(w.whole()...)
		b := octets(t, m, nil)
		f := open(t, b)
		same(t, m, f)
		again := octets(t, f, nil)
		check.That(t, bytes.Equal(again, b), "written again: %d octets in place of %d", len(again), len(b))
	})
}

// TestMerge: cuts of sources, joined in any order and grouping, some of them twice, are
// the part of the whole sources.
func TestMerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		want := octets(t, w.content(w.whole()...), nil)
		var parts []part.Content
		for i, s := range w.sources {
			for from := 0; ; {
				to := rapid.IntRange(from, len(s.records)).Draw(t, "cut")
				if to == from && from < len(s.records) {
					to++
				}
				parts = append(parts, w.content(cut{i, from, to}))
				if from = to; to == len(s.records) {
					break
				}
			}
		}
		for n := rapid.IntRange(0, 2).Draw(t, "twice"); n > 0; n-- {
			parts = append(parts, rapid.SampledFrom(parts).Draw(t, "again"))
		}
		if rapid.Bool().Draw(t, "some beforehand") { // so that a part contains more than the others
			n := rapid.IntRange(1, len(parts)).Draw(t, "how many")
			parts = append(parts, joined(t, parts[:n]...))
			parts = rapid.Permutation(parts).Draw(t, "order")
		} else {
			parts = group(t, rapid.Permutation(parts).Draw(t, "order"))
		}
		if got := merge(t, parts...); !bytes.Equal(got, want) {
			same(t, w.content(w.whole()...), open(t, got))
			t.Errorf("joined parts of %d are %d octets in place of %d", len(parts), len(got), len(want))
		}
	})
}

// group joins some of the parts beforehand, in groups of groups.
func group(t *rapid.T, parts []part.Content) []part.Content {
	for rapid.Bool().Draw(t, "group") && len(parts) > 1 {
		n := rapid.IntRange(2, len(parts)).Draw(t, "of")
		parts = append([]part.Content{joined(t, parts[:n]...)}, parts[n:]...)
	}
	return parts
}

// TestManyFiles: more parts than are open at once are read side by side, by several
// goroutines.
func TestManyFiles(t *testing.T) {
	const parts = 150
	dir := t.TempDir()
	var all []*part.File
	for i := range parts {
		path := filepath.Join(dir, fmt.Sprint(i))
		must.Do(t, os.WriteFile(path, octets(t, ordinary(byte(i), 1, uint64(1+10*i), 10), nil), 0o600))
		f := must.Get(part.OpenPath(context.Background(), path, nil))(t)
		defer f.Close()
		all = append(all, f)
	}
	if open := openFiles(t, dir); open > 100 {
		t.Errorf("%d files are open", open)
	}
	m := must.Get(part.Merge(all...))(t)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			n := 0
			for _, err := range m.Copies(context.Background(), m.Logs()[0], 0) {
				check.Do(t, err)
				n++
			}
			check.That(t, n == 10*parts, "%d copies", n)
		})
	}
	wait.Wait()
	if open := openFiles(t, dir); open > 100 {
		t.Errorf("%d files are open", open)
	}
	replaceFirst(t, dir, all[0])
}

// replaceFirst puts another file in the place of one that was closed meanwhile.
func replaceFirst(t *testing.T, dir string, f *part.File) {
	path := filepath.Join(dir, "0")
	b, err := os.ReadFile(path)
	if err == nil {
		err = os.Rename(path, filepath.Join(dir, "other"))
	}
	if err == nil {
		err = os.WriteFile(path, b, 0o600)
	}
	must.Do(t, err)
	must.Do(t, f.Close())
	check.That(t, readWhole(f) != nil, "another file is read")
}

// openFiles counts the files of a folder that this process has open, where the system
// lists them.
func openFiles(t *testing.T, dir string) (n int) {
	t.Helper()
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	for _, one := range all {
		to, err := os.Readlink("/proc/self/fd/" + one.Name())
		if err == nil && filepath.Dir(to) == dir {
			n++
		}
	}
	return n
}
