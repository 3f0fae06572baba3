package sqlite

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// newTable makes a database with small pages, so that the tree of its table t has several
// levels. It fills the table with rows of the given sizes under ascending numbers, and deletes
// every fifth row again.
func newTable(t testing.TB, sizes []int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "table.db")
	c, err := Open(path, Create)
	must.Do(t, err)
	err = c.Exec("PRAGMA page_size=512; CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER, b BLOB); BEGIN")
	for i, size := range sizes {
		n := int64(i) << (i % 50) * int64(1-i%3)
		err = errors.Join(err, c.Run("INSERT INTO t VALUES (?, ?, ?)", int64(3*i+1), n, bytes.Repeat([]byte{byte(i)}, size)))
	}
	must.Do(t, errors.Join(err, c.Exec("DELETE FROM t WHERE id % 5 = 0; COMMIT"), c.Close()))
	return path
}

// visit returns the pages of the table t, and how the visit ended.
func visit(t *testing.T, path string) (numbers []int, err error) {
	c := must.Get(Open(path, ReadOnly))(t)
	defer c.Close()
	err = c.Snapshot(func() error {
		root, err := c.Number("SELECT rootpage FROM sqlite_schema WHERE name = 't'")
		if err != nil {
			return err
		}
		p, err := OpenPages(c)
		if err != nil {
			return err
		}
		defer p.Close()
		return p.Visit(t.Context(), uint32(root), func(number uint32, _ []byte) error {
			numbers = append(numbers, int(number))
			return nil
		})
	})
	return numbers, err
}

// TestPagesAreTheTable: every page of a table is visited once, and no other.
func TestPagesAreTheTable(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		path := newTable(t, rapid.SliceOfN(rapid.SampledFrom([]int{0, 5, 90, 480, 700, 5000}), 0, 300).Draw(r, "sizes"))
		got := must.Get(visit(t, path))(r)
		slices.Sort(got)
		c := must.Get(Open(path, ReadOnly))(r)
		defer c.Close()
		var want []int
		must.Do(r, c.Each("SELECT pageno FROM dbstat WHERE name = 't' ORDER BY pageno", nil, func(s *Stmt) error {
			want = append(want, int(s.Int(0)))
			return nil
		}))
		must.That(r, slices.Equal(got, want), "%v, want %v", got, want)
	})
}

// FuzzPages: whatever is in the pages, visiting them comes to an end, with no more pages
// than there are.
func FuzzPages(f *testing.F) {
	whole := must.Get(os.ReadFile(newTable(f, slices.Repeat([]int{5, 90, 700}, 300))))(f)
	f.Add(uint32(512), []byte{5, 0, 0})
	f.Add(uint32(512), []byte{13, 0, 0, 255, 255})
	f.Add(uint32(512+8), []byte{0, 0, 0, 2})
	f.Add(uint32(1024+8), []byte{1, 0xff, 1, 0xfe})
	f.Add(uint32(1024), []byte{5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2})
	f.Fuzz(func(t *testing.T, at uint32, change []byte) {
		damaged := bytes.Clone(whole)
		copy(damaged[512+int(at)%(len(damaged)-512):], change) // the schema stays
		path := filepath.Join(t.TempDir(), "table.db")
		must.Do(t, os.WriteFile(path, damaged, 0o600))
		if numbers, _ := visit(t, path); len(numbers) > len(whole)/512 {
			t.Fatalf("%d pages of %d", len(numbers), len(whole)/512)
		}
	})
}

// TestDamagedPages: a tree that goes round in a circle, and pages that are none.
func TestDamagedPages(t *testing.T) {
	path := newTable(t, slices.Repeat([]int{90}, 300))
	whole, err := os.ReadFile(path)
	must.Do(t, err)
	for name, change := range map[string]func([]byte){
		"nothing":               func([]byte) {},
		"no kind":               func(b []byte) { b[512] = 7 },
		"itself below":          func(b []byte) { copy(b[512+8:], []byte{0, 0, 0, 2}) },
		"no such page":          func(b []byte) { copy(b[512+8:], []byte{0, 9, 0, 0}) },
		"more cells":            func(b []byte) { copy(b[512+3:], []byte{255, 255}) },
		"a cell outside":        func(b []byte) { copy(b[512+12:], []byte{255, 255}) },
		"a leaf's too many":     func(b []byte) { copy(b[1024+3:], []byte{255, 255}) },
		"a leaf's cell outside": func(b []byte) { copy(b[1024+8:], []byte{255, 255}) },
		"a leaf's cell without a key": func(b []byte) {
			copy(b[1024+8:], []byte{1, 511 - 256})
			b[1024+511] = 0
		},
		"too many below": func(b []byte) { // each pointer leads to a cell
			copy(b[512+12:], bytes.Repeat([]byte{1}, 512-12))
			copy(b[512+3:], []byte{255, 255})
		},
	} {
		b := bytes.Clone(whole)
		if change(b); b[1024] != leafPage {
			t.Fatal("the second page of the table is no leaf")
		}
		must.Do(t, os.WriteFile(path, b, 0o600))
		numbers, err := visit(t, path)
		if sound := name == "nothing"; sound != (err == nil) || !sound && !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %d pages, %v", name, len(numbers), err)
		}
	}
}

// TestVarints: the lengths at which the form changes, and every end too early.
func TestVarints(t *testing.T) {
	for text, want := range map[string]uint64{
		"\x00": 0, "\x7f": 127, "\x81\x00": 128, "\xff\x7f": 1<<14 - 1,
		"\xff\xff\xff\xff\xff\xff\xff\x7f": 1<<56 - 1, "\xff\xff\xff\xff\xff\xff\xff\xff\xff": 1<<64 - 1,
		"\x80\x80\x80\x80\x80\x80\x80\x80\x05": 5,
	} {
		v, rest, ok := readVarint([]byte(text + "rest"))
		check.That(t, v == want && string(rest) == "rest" && ok, "%x: %d, %q, %t; want %d", text, v, rest, ok, want)
		for n := range len(text) {
			if v, _, ok := readVarint([]byte(text[:n])); ok {
				t.Errorf("%x: %d", text[:n], v)
			}
		}
	}
}
