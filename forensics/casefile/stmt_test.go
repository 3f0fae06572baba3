package casefile

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/chain"
)

func memoryConn(t interface {
	Fatal(...any)
	TempDir() string
}) *Conn {
	c, err := Open(filepath.Join(t.TempDir(), "any.db"), Create)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// drawValue draws a value to bind, and how the engine should then see it.
func drawValue(t *rapid.T) (value any, want string) {
	size := rapid.SampledFrom([]int{0, 1, 32, slotSize - 1, slotSize, slotSize + 1, 3000}).Draw(t, "size")
	text := strings.Repeat(rapid.SampledFrom([]string{"a", "b"}).Draw(t, "letter"), size)
	switch rapid.IntRange(0, 3).Draw(t, "kind") {
	case 0:
		return nil, "null:"
	case 1:
		n := rapid.Int64Range(0, 2).Draw(t, "number")
		return n, fmt.Sprintf("integer:%X", fmt.Sprint(n))
	case 2:
		return text, fmt.Sprintf("text:%X", text)
	}
	return []byte(text), fmt.Sprintf("blob:%X", text)
}

// TestBindings: whatever a parameter was bound to before, the engine sees what
// was bound last, also after a fault.
func TestBindings(t *testing.T) {
	const parameters = 4
	c := memoryConn(t)
	defer c.Close()
	rapid.Check(t, func(t *rapid.T) {
		seen := strings.TrimSuffix(strings.Repeat("typeof(?) || ':',", parameters), ",")
		for n := range parameters { // the same parameter twice
			seen = strings.Replace(seen, "?) || ':'", fmt.Sprintf("?%d) || ':' || coalesce(hex(?%d), '')", n+1, n+1), 1)
		}
		s, err := c.Prepare("SELECT " + seen)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for range rapid.IntRange(1, 8).Draw(t, "executions") {
			var values []any
			var want []string
			for range parameters {
				value, seen := drawValue(t)
				values, want = append(values, value), append(want, seen)
			}
			switch rapid.IntRange(0, 4).Draw(t, "fault") {
			case 0:
				s.BindInt(parameters, 1) // the statement has no such parameter
			case 1:
				if _, err := s.Step(); err != nil {
					t.Fatal(err)
				}
				s.Bind(values...) // while it runs
			}
			if s.err != nil {
				if _, err := s.Step(); err == nil {
					t.Fatal("a parameter is not bound, and the statement runs")
				}
			}
			s.Reset()
			s.Bind(values...)
			if _, err := s.Step(); err != nil {
				t.Fatal(err)
			}
			for i, want := range want {
				if got := s.Text(i); got != want {
					t.Fatalf("parameter %d: %.80s, want %.80s", i, got, want)
				}
			}
			s.Reset()
		}
	})
}

// TestFailedBulk: if one of many rows cannot be inserted, nothing of the
// transaction is there.
func TestFailedBulk(t *testing.T) {
	for _, repeated := range []int{bulkRows / 2, bulkRows + 1} { // among many rows, and by itself
		w, path := newWriter(t)
		b, err := NewBulk(w.conn, "logs", 3, func(s *Stmt, at int, n *int) {
			s.BindInt(at, int64(*n+1))
			s.BindText(at+1, "tenant")
			s.BindText(at+2, fmt.Sprint(*n))
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.begin(); err != nil {
			t.Fatal(err)
		}
		for n := range bulkRows + 2 {
			if n == repeated {
				n--
			}
			if err = b.Add(n); err != nil {
				break
			}
		}
		if err == nil {
			err = b.Flush()
		}
		if err == nil {
			t.Fatal("two rows of one number are taken")
		}
		b.Close()
		if err := errors.Join(w.Commit(), w.Close()); err != nil {
			t.Fatal(err)
		}
		c, err := OpenRead(path)
		if err != nil {
			t.Fatal(err)
		}
		if logs, err := c.Logs(t.Context()); len(logs) > 0 || err != nil {
			t.Errorf("%d rows are left, %v", len(logs), err)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFailedAdd: a chunk of which something cannot be added leaves nothing in
// the case, and what was committed before it stays.
func TestFailedAdd(t *testing.T) {
	w, _ := newWriter(t)
	p, err := w.Start(1, chain.Hash{})
	if err != nil {
		t.Fatal(err)
	}
	add := func(sequence int, skips ...FoundSkip) error {
		d := drawn{sequence: sequence, kind: 1}
		p.Events++
		return w.Add(&Chunk{Source: p.Source, Containers: []Container{{}}, Events: []Arrival{d.arrival(sequence)}, Skips: skips}, p)
	}
	err = errors.Join(add(1), w.Commit(), w.conn.Exec("ALTER TABLE skips RENAME TO other"), add(2))
	if err != nil {
		t.Fatal(err)
	}
	if err := add(3, FoundSkip{}); err == nil {
		t.Fatal("a skip is added without its table")
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	c := w.Case
	defer w.Close()
	sources, err := c.Sources(t.Context())
	if err != nil || len(sources) != 1 || sources[0].Events != 1 {
		t.Errorf("%+v, %v, want one event", sources, err)
	}
	logs, err := c.Logs(t.Context())
	if err != nil || len(logs) != 1 {
		t.Fatalf("%+v, %v", logs, err)
	}
	for e, err := range c.Events(t.Context(), logs[0], 0, 10) {
		if err != nil || e.Link.Sequence != 1 {
			t.Errorf("event %d, %v, want 1 alone", e.Link.Sequence, err)
		}
	}
}

// TestSnapshotFails: what goes wrong within a snapshot is said, and it is ended.
func TestSnapshotFails(t *testing.T) {
	w, _ := newWriter(t)
	defer w.Close()
	if err := w.conn.Snapshot(func() error { return errStop }); err != errStop || !w.conn.Autocommit() {
		t.Errorf("%v, ended: %t", err, w.conn.Autocommit())
	}
}
