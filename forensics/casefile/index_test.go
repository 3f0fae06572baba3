package casefile

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/chain/event"

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
	err = c.Exec("PRAGMA page_size=512; CREATE TABLE t (a INTEGER, b INTEGER, c INTEGER, PRIMARY KEY (a, b, c)) WITHOUT ROWID; BEGIN")
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

// TestIndexIsTheTable: pages give the rows that the engine gives, whatever range
// is asked for.
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
		if sound := name == "nothing"; sound != (err == nil) || !sound && !errors.Is(err, ErrDamaged) || sound && len(got) != len(rows) {
			t.Errorf("%s: %d rows, %v", name, len(got), err)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPlaced: every copy comes with the containers that hold it, as the engine
// finds them.
func TestPlaced(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w, _ := fillDrawn(rt, filepath.Join(t.TempDir(), "case.db"), draw(rt))
		defer w.Close()
		long := strings.Repeat("x", 20_000) // takes more than a page
		if err := errors.Join(w.begin(), w.conn.Run("UPDATE events SET transaction_id = ? WHERE event % 4 = 1", long), w.Commit()); err != nil {
			rt.Fatal(err)
		}
		logs, err := w.Logs(rt.Context())
		if err != nil {
			rt.Fatal(err)
		}
		from := rapid.Uint64Range(0, 15).Draw(rt, "from")
		to := rapid.Uint64Range(0, 15).Draw(rt, "to")
		for _, log := range logs {
			var want, got []string
			for e, err := range w.Events(rt.Context(), log, from, to) {
				if err != nil {
					rt.Fatal(err)
				}
				var held []int64
				const query = "SELECT container FROM events WHERE event = ?1 UNION SELECT container FROM variants WHERE variant = -?1" +
					" UNION SELECT container FROM deliveries WHERE event = ?1 ORDER BY 1"
				err := w.conn.Each(query, []any{int64(e.Ref)}, func(s *Stmt) error {
					held = append(held, s.Int(0))
					return nil
				})
				if err != nil {
					rt.Fatal(err)
				}
				want = append(want, fmt.Sprint(e.Ref, e.Link.Sequence, e.Variant, e.Copies, held))
			}
			for p, err := range w.Placed(rt.Context(), log, from, to) {
				if err != nil {
					rt.Fatal(err)
				}
				got = append(got, fmt.Sprint(p.Ref, p.Link.Sequence, p.Variant, p.Copies, p.Containers))
			}
			if !slices.Equal(got, want) {
				rt.Fatalf("%v\nwant %v", got, want)
			}
		}
	})
}

// TestTyped: the events of some types are those that are of these types, with all
// that a row says but how often they came.
func TestTyped(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w, _ := fillDrawn(rt, filepath.Join(t.TempDir(), "case.db"), draw(rt))
		defer w.Close()
		long := strings.Repeat("x", 20_000) // takes more than a page
		if err := errors.Join(w.begin(), w.conn.Run("UPDATE events SET transaction_id = ? WHERE event % 4 = 1", long), w.Commit()); err != nil {
			rt.Fatal(err)
		}
		types := rapid.SliceOfDistinct(rapid.SampledFrom([]string{"type.0", "type.1", "type.2", "none"}), rapid.ID[string]).Draw(rt, "types")
		logs, err := w.Logs(rt.Context())
		if err != nil {
			rt.Fatal(err)
		}
		plain := func(e Event) Event {
			e.Deliveries, e.Variant, e.Copies = 0, 0, 0
			return e
		}
		for _, log := range logs {
			var want, got []Event
			for e, err := range w.Events(rt.Context(), log, 0, 100) {
				if err != nil {
					rt.Fatal(err)
				}
				if slices.Contains(types, e.Type) {
					want = append(want, plain(e))
				}
			}
			for e, err := range w.Typed(rt.Context(), log, types) {
				if err != nil {
					rt.Fatal(err)
				}
				got = append(got, plain(e.Event))
			}
			if !slices.Equal(got, want) {
				rt.Fatalf("%+v\nwant %+v", got, want)
			}
		}
	})
}

// TestData: the data of events is what their lines have, wherever their bodies are.
func TestData(t *testing.T) {
	w, _ := newWriter(t)
	defer w.Close()
	chunk := &Chunk{Containers: []Container{{Format: "journal"}}}
	data := map[string][]byte{} // by salt
	for _, doc := range eventLines(t) {
		a := Arrival{Fidelity: Exact}
		if event.Scan(doc, &a.Line) && len(doc)%7 > 0 {
			chunk.Events = append(chunk.Events, a)
			data[string(a.Line.Body)] = a.Line.Data
		}
	}
	p, err := w.Start(1, [32]byte{})
	if err != nil {
		t.Fatal(err)
	}
	chunk.Source = p.Source
	if err := errors.Join(w.Add(chunk, p), w.Commit()); err != nil {
		t.Fatal(err)
	}
	logs, err := w.Logs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b, err := w.Bodies()
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	seen := 0
	for _, log := range logs {
		var all []Typed
		for e, err := range w.Typed(t.Context(), log, []string{event.ApprovalSigned, event.NodeReported, event.CapabilityObserved}) {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, *e)
		}
		slices.Reverse(all)
		err := b.Data(t.Context(), log, all, func(i int, got []byte) error {
			doc, err := b.Line(t.Context(), all[i].Event)
			var l event.Line
			if err != nil || !event.Scan(doc, &l) || !bytes.Equal(got, l.Data) || !bytes.Equal(got, data[string(l.Body)]) {
				t.Errorf("event %d: %s, %v, want %s", all[i].Link.Sequence, got, err, l.Data)
			}
			seen++
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(all) > 0 {
			all[0].Link.Body[0] ^= 1
			if err := b.Data(t.Context(), log, all[:1], func(int, []byte) error { return nil }); err == nil {
				t.Error("a body of another digest was taken")
			}
		}
	}
	if seen < 3 {
		t.Errorf("only %d events", seen)
	}
}
