package sqlite

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// newIndex makes a database with small pages and a table without row numbers,
// some of whose rows have the same two first columns.
func newIndex(t testing.TB, rows [][3]int64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "index.db")
	c, err := Open(path, Create)
	if err != nil {
		t.Fatal(err)
	}
	err = c.Exec("PRAGMA page_size=512; CREATE TABLE t (a INTEGER, b INTEGER, c INTEGER, PRIMARY KEY (a, b, c)) " +
		"WITHOUT ROWID; BEGIN")
	for _, r := range rows {
		err = errors.Join(err, c.Run("INSERT OR IGNORE INTO t VALUES (?, ?, ?)", r[0], r[1], r[2]))
	}
	if err := errors.Join(err, c.Exec("COMMIT"), c.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// ofIndex lists what an index yields.
func ofIndex(c *Conn, from, to int64) (all [][2]int64, err error) {
	err = c.Snapshot(func() error {
		x, err := OpenIndex(c, "t")
		if err != nil {
			return err
		}
		defer x.Close()
		if err := x.Between(from, to); err != nil {
			return err
		}
		for {
			row, more, err := x.Next()
			if err != nil || !more {
				return err
			}
			all = append(all, row)
		}
	})
	return all, err
}

// TestIndexIsTheTable: pages give the rows that the engine gives, in any range.
func TestIndexIsTheTable(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		number := rapid.OneOf(rapid.Int64Range(-3, 300), rapid.SampledFrom([]int64{-1 << 40, 1 << 20, 1 << 40, 1<<62 + 5}))
		rows := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) [3]int64 {
			return [3]int64{number.Draw(rt, "a"), rapid.Int64Range(0, 3).Draw(rt, "b"), rapid.Int64Range(0, 1<<33).Draw(rt, "c")}
		}), 0, 700).Draw(rt, "rows")
		c, err := Open(newIndex(t, rows), ReadOnly)
		if err != nil {
			rt.Fatal(err)
		}
		defer c.Close()
		from, to := number.Draw(rt, "from"), number.Draw(rt, "to")
		var want [][2]int64
		err = c.Each("SELECT a, b FROM t WHERE a BETWEEN ? AND ? ORDER BY a, b, c", []any{from, to}, func(s *Stmt) error {
			want = append(want, [2]int64{s.Int(0), s.Int(1)})
			return nil
		})
		got, err2 := ofIndex(c, from, to)
		if err := errors.Join(err, err2); err != nil || !slices.Equal(got, want) {
			rt.Fatalf("%v, %v\nwant %v", got, err, want)
		}
	})
}

// TestDamagedIndex: whatever is wrong with its pages, reading an index comes to
// an end with an error.
func TestDamagedIndex(t *testing.T) {
	var rows [][3]int64
	for n := range int64(600) {
		rows = append(rows, [3]int64{n, n % 3, n << 20})
	}
	path := newIndex(t, rows)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(root []byte){
		"nothing":           func([]byte) {},
		"no kind":           func(b []byte) { b[0] = 0 },
		"a table":           func(b []byte) { b[0] = leafPage },
		"itself below":      func(b []byte) { copy(b[8:], []byte{0, 0, 0, 2}) },
		"no such page":      func(b []byte) { copy(b[8:], []byte{0, 9, 0, 0}) },
		"more cells":        func(b []byte) { copy(b[3:], []byte{255, 255}) },
		"a cell outside":    func(b []byte) { copy(b[12:], []byte{255, 255}) },
		"a cell at the end": func(b []byte) { copy(b[12:], []byte{1, 508 - 256}) },
		"a cell of no row":  func(b []byte) { copy(b[12:], []byte{0, 0}) },
	} {
		b := bytes.Clone(whole)
		if change(b[512:]); whole[512] != interiorIndex {
			t.Fatal("the first page of the table is no inner one")
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := Open(path, ReadOnly)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ofIndex(c, 0, 1<<40)
		sound := name == "nothing"
		if sound != (err == nil) || !sound && !errors.Is(err, ErrDamaged) || sound && len(got) != len(rows) {
			t.Errorf("%s: %d rows, %v", name, len(got), err)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
