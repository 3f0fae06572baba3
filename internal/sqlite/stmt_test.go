package sqlite

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
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

// TestBindings: whatever a parameter was bound to before, the engine sees the newest value,
// also after a fault.
func TestBindings(t *testing.T) {
	const parameters = 4
	c := memoryConn(t)
	defer c.Close()
	rapid.Check(t, func(t *rapid.T) {
		seen := strings.TrimSuffix(strings.Repeat("typeof(?) || ':',", parameters), ",")
		for n := range parameters { // the same parameter twice
			seen = strings.Replace(seen, "?) || ':'", fmt.Sprintf("?%d) || ':' || coalesce(hex(?%d), '')", n+1, n+1), 1)
		}
		s := must.Get(c.Prepare("SELECT " + seen))(t)
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
				must.Do(t, check.Err(s.Step()))
				s.Bind(values...) // while it runs
			}
			if s.err != nil {
				if _, err := s.Step(); err == nil {
					t.Fatal("a parameter is not bound, and the statement runs")
				}
			}
			s.Reset()
			s.Bind(values...)
			must.Do(t, check.Err(s.Step()))
			for i, want := range want {
				got := s.Text(i)
				must.That(t, got == want, "parameter %d: %.80s, want %.80s", i, got, want)
			}
			s.Reset()
		}
	})
}

// TestSnapshotFails: a fault within a snapshot is returned, and the snapshot ends.
func TestSnapshotFails(t *testing.T) {
	c := memoryConn(t)
	defer c.Close()
	fault := errors.New("enough")
	if err := c.Snapshot(func() error { return fault }); err != fault || !c.Autocommit() {
		t.Errorf("%v, ended: %t", err, c.Autocommit())
	}
}

// TestKeptStatements: a statement that is run again is not prepared again, one
// that is in use is not handed out twice, and no more are kept than the bound.
func TestKeptStatements(t *testing.T) {
	c := memoryConn(t)
	defer c.Close()
	const query = "SELECT 1 UNION ALL SELECT 2"
	var inner []int64
	for range 2 {
		err := c.Each(query, nil, func(outer *Stmt) error {
			return c.Each(query, nil, func(s *Stmt) error {
				inner = append(inner, 10*outer.Int(0)+s.Int(0))
				return nil
			})
		})
		must.Do(t, err)
	}
	want := []int64{11, 12, 21, 22, 11, 12, 21, 22}
	check.That(t, slices.Equal(inner, want), "%v, want %v", inner, want)
	first := must.Get(c.Take(query))(t)
	c.Keep(first)
	if again, err := c.Take(query); err != nil || again != first {
		t.Errorf("prepared again, %v", err)
	} else {
		c.Keep(again)
	}
	for i := range 2 * mostKept {
		if n, err := c.Number(fmt.Sprintf("SELECT %d", i)); err != nil || n != int64(i) {
			t.Fatal(n, err)
		}
	}
	check.That(t, len(c.kept) == mostKept, "%d statements are kept, want %d", len(c.kept), mostKept)
	// A bound value does not stay for the next time.
	for _, want := range []string{"a", "b"} {
		err := c.Each("SELECT ?", []any{want}, func(s *Stmt) error {
			got := s.Text(0)
			check.That(t, got == want, "%q, want %q", got, want)
			return nil
		})
		must.Do(t, err)
	}
}
