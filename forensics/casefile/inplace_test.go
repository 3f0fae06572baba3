package casefile

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// TestEventsInPlace: the rows that are read from pages are those that the engine
// reads.
func TestEventsInPlace(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w, logs := fillLong(rt, t.TempDir())
		defer w.Close()
		from := rapid.Uint64Range(0, 15).Draw(rt, "from")
		to := rapid.Uint64Range(0, 15).Draw(rt, "to")
		for _, log := range logs {
			var want []facts.Event
			for e, err := range w.Events(rt.Context(), log, from, to) {
				must.Do(rt, err)
				e.TransactionID, e.Deliveries = "", 0
				want = append(want, e)
			}
			for e, err := range w.EventsInPlace(rt.Context(), log, from, to) {
				must.That(rt, err == nil && len(want) != 0 && *e == want[0],
					"%+v, %v, want the first of %+v", e, err, want)
				want = want[1:]
			}
			must.That(rt, len(want) == 0, "%+v were left out", want)
		}
	})
}

// TestArrivedInPlace: so are the arrivals, whatever of them is absent.
func TestArrivedInPlace(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		all := draw(rt)
		w, _ := fillDrawn(rt, filepath.Join(t.TempDir(), "case.db"), all)
		defer w.Close()
		long := strings.Repeat("x", 20_000)
		err := errors.Join(w.begin(), w.conn.Run("UPDATE events SET transaction_id = ? WHERE event % 4 = 1", long),
			w.conn.Run("UPDATE events SET observed_at = event * 1000, record = -record WHERE event % 3 = 1"),
			w.conn.Run("UPDATE events SET block = NULL WHERE event % 5 < 2"), w.Commit())
		logs, err2 := w.Logs(rt.Context())
		if err != nil || err2 != nil {
			rt.Fatal(err, err2)
		}
		for _, log := range logs {
			a, err := openArrivals(rt.Context(), w.Case, log)
			defer a.close()
			want, err2 := collect(rows(rt.Context(), w.Case, askLog(ofEvents(copyColumns, inEvents), log), a.readPacked))
			got, err3 := collect(a.packed(rt.Context(), w.Case, log))
			if err := errors.Join(err, err2, err3); err != nil || !slices.Equal(got, want) {
				rt.Fatalf("%+v, %v\nwant %+v", got, err, want)
			}
		}
	})
}

// TestColumnsAreTheTables: the numbers of the columns are those that they have in
// the tables of the schema.
func TestColumnsAreTheTables(t *testing.T) {
	w, _ := newWriter(t)
	defer w.Close()
	for table, want := range map[string][]string{
		"events":     columnNames[:],
		"variants":   append(strings.Fields("variant log sequence digest"), columnNames[colHash:]...),
		"deliveries": append([]string{"event"}, columnNames[colContainer:]...),
	} {
		var got []string
		err := w.conn.Each("SELECT name FROM pragma_table_info(?) ORDER BY cid", []any{table}, func(s *sqlite.Stmt) error {
			got = append(got, s.Text(0))
			return nil
		})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v", table, got, err)
		}
	}
	if len(columnNames) != columnCount || variantColumns != 4 || deliveryColumns != 1+len(columnNames[colContainer:]) {
		t.Error("the counts are not those of the names")
	}
}

// TestEventsOfOneState: what is committed while events are read is not among
// them, and is there the next time.
func TestEventsOfOneState(t *testing.T) {
	w, _ := newWriter(t)
	defer w.Close()
	add := func(first, count int) {
		chunk := &Chunk{Containers: []Container{{Format: "journal"}}}
		for n := range count {
			d := drawn{sequence: first + n}
			chunk.Events = append(chunk.Events, d.arrival(n))
		}
		p := must.Get(w.Start(1, [32]byte{byte(first)}))(t)
		chunk.Source = p.Source
		must.Do(t, errors.Join(w.Add(chunk, p), w.Commit()))
	}
	add(1, 200)
	logs, err := w.Logs(t.Context())
	if err != nil || len(logs) != 1 {
		t.Fatal(logs, err)
	}
	for _, want := range []int{200, 400} {
		got := 0
		for _, err := range w.EventsInPlace(t.Context(), logs[0], 0, 1000) {
			must.Do(t, err)
			if got++; got == 1 && want == 200 {
				add(201, 200)
			}
		}
		if got != want {
			t.Errorf("%d events, want %d", got, want)
		}
	}
}

// TestPlaced: every copy comes with the containers that hold it, as the engine
// finds them.
func TestPlaced(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w, logs := fillLong(rt, t.TempDir())
		defer w.Close()
		from := rapid.Uint64Range(0, 15).Draw(rt, "from")
		to := rapid.Uint64Range(0, 15).Draw(rt, "to")
		for _, log := range logs {
			var want, got []string
			for e, err := range w.Events(rt.Context(), log, from, to) {
				must.Do(rt, err)
				var held []int64
				const query = "SELECT container FROM events WHERE event = ?1 UNION SELECT container FROM variants " +
					"WHERE variant = -?1" +
					" UNION SELECT container FROM deliveries WHERE event = ?1 ORDER BY 1"
				must.Do(rt, w.conn.Each(query, []any{int64(e.Ref)}, func(s *sqlite.Stmt) error {
					held = append(held, s.Int(0))
					return nil
				}))
				want = append(want, fmt.Sprint(e.Ref, e.Link.Sequence, e.Variant, e.Copies, held))
			}
			for p, err := range w.Arrivals().Placed(rt.Context(), log, from, to) {
				must.Do(rt, err)
				got = append(got, fmt.Sprint(p.Ref, p.Link.Sequence, p.Variant, p.Copies, p.Containers))
			}
			must.That(rt, slices.Equal(got, want), "%v\nwant %v", got, want)
		}
	})
}
