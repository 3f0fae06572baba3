package sqlite

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// newTable makes a database with small pages, so that the tree of its table t
// has several levels, and fills it with rows of the given sizes under ascending
// numbers, of which every fifth is deleted again.
func newTable(t testing.TB, sizes []int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "table.db")
	c, err := Open(path, Create)
	if err != nil {
		t.Fatal(err)
	}
	err = c.Exec("PRAGMA page_size=512; CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER, b BLOB); BEGIN")
	for i, size := range sizes {
		n := int64(i) << (i % 50) * int64(1-i%3)
		err = errors.Join(err, c.Run("INSERT INTO t VALUES (?, ?, ?)", int64(3*i+1), n, bytes.Repeat([]byte{byte(i)}, size)))
	}
	if err := errors.Join(err, c.Exec("DELETE FROM t WHERE id % 5 = 0; COMMIT"), c.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// ofTree lists what a tree yields, in the words of ofEngine.
func ofTree(c *Conn, from, to int64) (all []string, err error) {
	err = c.Snapshot(func() error {
		tree, err := OpenTree(c, "t")
		if err != nil {
			return err
		}
		defer tree.Close()
		tree.Between(from, to)
		for {
			row, record, more, err := tree.Next()
			if err != nil || !more {
				return err
			}
			var f [3]Field
			n, ok := int64(0), record != nil && ReadFields(record, f[:])
			if ok {
				n, ok = f[1].Int()
			}
			if !ok {
				all = append(all, fmt.Sprintf("%d elsewhere", row))
				continue
			}
			all = append(all, fmt.Sprintf("%d %d %x", row, n, f[2].Bytes))
		}
	})
	return all, err
}

// ofEngine lists the same rows as the engine steps through them.
func ofEngine(c *Conn, from, to int64) (all []string, err error) {
	err = c.Each("SELECT id, n, b FROM t WHERE id BETWEEN ? AND ? ORDER BY id", []any{from, to}, func(s *Stmt) error {
		all = append(all, fmt.Sprintf("%d %d %x", s.Int(0), s.Int(1), s.Blob(2)))
		return nil
	})
	return all, err
}

// TestTreeIsTheTable: pages give the rows that the engine gives, whatever range
// is asked for, and leave out those that take more than a page.
func TestTreeIsTheTable(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		sizes := rapid.SliceOfN(rapid.SampledFrom([]int{0, 1, 60, 450, 462, 463, 464, 465, 466, 467, 468, 469, 470, 471,
			472, 473, 474, 475, 2000}), 0, 600).Draw(rt, "sizes")
		c, err := Open(newTable(t, sizes), ReadOnly)
		if err != nil {
			rt.Fatal(err)
		}
		defer c.Close()
		most := int64(3*len(sizes) + 2)
		from := rapid.Int64Range(0, most).Draw(rt, "from")
		to := rapid.Int64Range(0, most).Draw(rt, "to")
		want, err := ofEngine(c, from, to)
		got, err2 := ofTree(c, from, to)
		if err != nil || err2 != nil || len(got) != len(want) {
			rt.Fatalf("%d rows, %v; want %d, %v", len(got), err2, len(want), err)
		}
		for i := range got {
			row, _, _ := strings.Cut(want[i], " ")
			if large := len(want[i]) > 2*460; got[i] != want[i] && (!large || got[i] != row+" elsewhere") {
				rt.Fatalf("row %d: %.80s, want %.80s", i, got[i], want[i])
			}
		}
	})
}

// TestTreeOfManyLevels: none is lost where pages lie below pages below pages.
func TestTreeOfManyLevels(t *testing.T) {
	c, err := Open(newTable(t, slices.Repeat([]int{90}, 20_000)), ReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, from := range []int64{0, 1, 30_000, 59_998, 60_000} {
		want, err := ofEngine(c, from, 1<<40)
		got, err2 := ofTree(c, from, 1<<40)
		if err != nil || err2 != nil || !slices.Equal(got, want) {
			t.Errorf("from %d: %d rows, %v; want %d, %v", from, len(got), err2, len(want), err)
		}
	}
}

// FuzzTree: whatever stands in the pages, reading them comes to an end, with
// ascending rows or with an error.
func FuzzTree(f *testing.F) {
	whole, err := os.ReadFile(newTable(f, slices.Repeat([]int{5, 90, 700}, 300)))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(uint32(512), []byte{5, 0, 0})
	f.Add(uint32(512), []byte{13, 0, 0, 255, 255})
	f.Add(uint32(512+8), []byte{0, 0, 0, 2})
	f.Add(uint32(1024+8), []byte{1, 0xff, 1, 0xfe})
	f.Add(uint32(1024), []byte{5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2})
	f.Fuzz(func(t *testing.T, at uint32, change []byte) {
		damaged := bytes.Clone(whole)
		copy(damaged[512+int(at)%(len(damaged)-512):], change) // the schema stays
		path := filepath.Join(t.TempDir(), "table.db")
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := Open(path, ReadOnly)
		if err != nil {
			return
		}
		defer c.Close()
		rows, _ := ofTree(c, 0, 1<<62)
		last := int64(-1)
		for _, text := range rows {
			var row int64
			if _, err := fmt.Sscan(text, &row); err != nil || row <= last {
				t.Fatalf("%.40s after row %d", text, last)
			}
			last = row
		}
	})
}

// TestDamagedTree: a tree that goes round in a circle, and pages that are none.
func TestDamagedTree(t *testing.T) {
	path := newTable(t, slices.Repeat([]int{90}, 300))
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func([]byte){
		"nothing":      func([]byte) {},
		"no kind":      func(b []byte) { b[512] = 7 },
		"itself below": func(b []byte) { copy(b[512+8:], []byte{0, 0, 0, 2}) },
		"a leaf twice": func(b []byte) {
			copy(b[512+8:], b[512+int(b[512+12])<<8+int(b[512+13]):][:4])
		},
		"no such page":                       func(b []byte) { copy(b[512+8:], []byte{0, 9, 0, 0}) },
		"more cells":                         func(b []byte) { copy(b[512+3:], []byte{255, 255}) },
		"a cell outside":                     func(b []byte) { copy(b[512+12:], []byte{255, 255}) },
		"a leaf's too many":                  func(b []byte) { copy(b[1024+3:], []byte{255, 255}) },
		"a cell below that the page ends in": func(b []byte) { copy(b[512+12:], []byte{1, 508 - 256}) },
		"a leaf's cell outside":              func(b []byte) { copy(b[1024+8:], []byte{255, 255}) },
		"a leaf's cell without a key": func(b []byte) {
			copy(b[1024+8:], []byte{1, 511 - 256})
			b[1024+511] = 0
		},
		"a leaf's cell without its record": func(b []byte) {
			copy(b[1024+8:], []byte{1, 510 - 256})
			copy(b[1024+510:], []byte{100, 1})
		},
		"too many below": func(b []byte) { // each pointer leads to a cell
			copy(b[512+12:], bytes.Repeat([]byte{1}, 512-12))
			copy(b[512+3:], []byte{255, 255})
		},
		"too many alike": func(b []byte) { // each pointer leads to a cell of row 1
			copy(b[1024+8:], bytes.Repeat([]byte{1}, 512-8))
			copy(b[1024+3:], []byte{255, 255})
		},
	} {
		b := bytes.Clone(whole)
		if change(b); b[1024] != leafPage {
			t.Fatal("the second page of the table is no leaf")
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := Open(path, ReadOnly)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := ofTree(c, 1, 1<<62)
		if sound := name == "nothing"; sound != (err == nil) || !sound && !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %d rows, %v", name, len(rows), err)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
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
		if v, rest, ok := varint([]byte(text + "rest")); v != want || string(rest) != "rest" || !ok {
			t.Errorf("%x: %d, %q, %t; want %d", text, v, rest, ok, want)
		}
		for n := range len(text) {
			if v, _, ok := varint([]byte(text[:n])); ok {
				t.Errorf("%x: %d", text[:n], v)
			}
		}
	}
}
