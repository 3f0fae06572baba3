package casefile

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestOlderCaseIsReadOnceItWasWritten: who only reads leaves an older case as it
// is and says what to do, and that is enough.
func TestOlderCaseIsReadOnceItWasWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "case.db")
	c, err := Open(path, Create)
	if err != nil {
		t.Fatal(err)
	}
	settings := fmt.Sprintf("PRAGMA application_id=%d", applicationID)
	if err := errors.Join(c.Exec(settings), migrate(c, migrations()[:1]), c.Close()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := OpenRead(path); err == nil || !strings.Contains(err.Error(), "version 1") || !strings.Contains(err.Error(), "svc-verify ingest --case FILE PATH") {
			t.Errorf("OpenRead: %v", err)
		}
	}
	w, err := OpenWrite(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := OpenRead(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// TestFullDisk: who runs out of room is told what to do, and that does it.
func TestFullDisk(t *testing.T) {
	w, _ := newWriter(t)
	pages, err := w.conn.Number("PRAGMA page_count")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.conn.Exec(fmt.Sprintf("PRAGMA max_page_count=%d", pages)); err != nil {
		t.Fatal(err)
	}
	many := func() error {
		for i := range 2000 {
			if err := w.Refuse(Unread{Path: fmt.Sprint(i), Detail: strings.Repeat("d", 100)}); err != nil {
				return err
			}
		}
		return w.Commit()
	}
	if err := many(); err == nil || !strings.Contains(err.Error(), "full") || !strings.Contains(err.Error(), "make room on the disk and run the same command again") {
		t.Errorf("a full disk: %v", err)
	}
	if err := errors.Join(w.conn.Rollback(), w.conn.Exec("PRAGMA max_page_count=1000000"), many(), w.Close()); err != nil {
		t.Error(err)
	}
}

// TestKeptStatements: a statement that is run again is not prepared again, one
// that is in use is not handed out twice, and no more are kept than the bound.
func TestKeptStatements(t *testing.T) {
	w, _ := newWriter(t)
	defer w.Close()
	c := w.conn
	const query = "SELECT 1 UNION ALL SELECT 2"
	var inner []int64
	for range 2 {
		err := c.Each(query, nil, func(outer *Stmt) error {
			return c.Each(query, nil, func(s *Stmt) error {
				inner = append(inner, 10*outer.Int(0)+s.Int(0))
				return nil
			})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if want := []int64{11, 12, 21, 22, 11, 12, 21, 22}; !slices.Equal(inner, want) {
		t.Errorf("%v, want %v", inner, want)
	}
	first, err := c.Take(query)
	if err != nil {
		t.Fatal(err)
	}
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
	if len(c.kept) != mostKept {
		t.Errorf("%d statements are kept, want %d", len(c.kept), mostKept)
	}
	// What was bound does not stay for the next time.
	for _, want := range []string{"a", "b"} {
		err := c.Each("SELECT ?", []any{want}, func(s *Stmt) error {
			if got := s.Text(0); got != want {
				t.Errorf("%q, want %q", got, want)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
