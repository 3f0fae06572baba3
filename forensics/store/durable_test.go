package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestDurable: 2 is what the engine calls FULL.
func TestDurable(t *testing.T) {
	w := must.Get(OpenWrite(filepath.Join(t.TempDir(), "case.db")))(t)
	defer w.Close()
	for _, want := range []int64{1, 2} {
		got, err := w.conn.Number("PRAGMA synchronous")
		check.That(t, err == nil && got == want, "synchronous is %d, %v, want %d", got, err, want)
		must.Do(t, w.Durable())
	}
}

// TestEnds: the case is one file again, unless somebody reads it, and what was
// committed is seen by those who read it before and after.
func TestEnds(t *testing.T) {
	t.Run("let go", func(t *testing.T) { testEnds(t, false, (*Writer).LetGo) })
	t.Run("close", func(t *testing.T) {
		testEnds(t, true, func(w *Writer) error {
			return errors.Join(w.conn.Exec("PRAGMA busy_timeout=10"), w.Close()) // so that the test need not wait
		})
	})
}

func testEnds(t *testing.T, telling bool, end func(*Writer) error) {
	path := filepath.Join(t.TempDir(), "case.db")
	for n, reading := range []bool{false, true, false} {
		said := ""
		w, err := OpenWrite(path, Notify(func(text string) { said += text }))
		must.Do(t, err)
		must.Do(t, errors.Join(w.Refuse(facts.Unread{Path: string(rune('a' + n))}), w.Commit()))
		before := refused(t, path, n+1)
		if !reading {
			before()
		}
		err = end(w)
		if _, missing := os.Stat(path + "-wal"); err != nil || (missing == nil) != reading {
			t.Errorf("%d: %v; the journal: %v", n, err, missing)
		}
		told := strings.Contains(said, "case.db-wal belongs to it")
		check.That(t, told == (reading && telling), "%d: the user is told %q", n, said)
		refused(t, path, n+1)()
		if reading {
			before()
		}
	}
}

// refused wants so many paths that could not be read in a case, and returns what
// closes it.
func refused(t *testing.T, path string, want int) func() {
	t.Helper()
	c := must.Get(OpenRead(path))(t)
	all := c.Content.Unread()
	check.That(t, len(all) == want, "%v, want %d", all, want)
	return func() { check.Do(t, c.Close()) }
}
