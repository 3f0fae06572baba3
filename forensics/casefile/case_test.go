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
	c, err := connect(path, makeNew)
	if err != nil {
		t.Fatal(err)
	}
	settings := fmt.Sprintf("PRAGMA application_id=%d", applicationID)
	if err := errors.Join(c.exec(settings), migrate(c, migrations()[:1]), c.close()); err != nil {
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
	pages, err := w.conn.number("PRAGMA page_count")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.conn.exec(fmt.Sprintf("PRAGMA max_page_count=%d", pages)); err != nil {
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
	if err := errors.Join(w.conn.rollback(), w.conn.exec("PRAGMA max_page_count=1000000"), many(), w.Close()); err != nil {
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
		err := c.each(query, nil, func(outer *stmt) error {
			return c.each(query, nil, func(s *stmt) error {
				inner = append(inner, 10*outer.columnInt(0)+s.columnInt(0))
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
	first, err := c.take(query)
	if err != nil {
		t.Fatal(err)
	}
	c.keep(first)
	if again, err := c.take(query); err != nil || again != first {
		t.Errorf("prepared again, %v", err)
	} else {
		c.keep(again)
	}
	for i := range 2 * mostKept {
		if n, err := c.number(fmt.Sprintf("SELECT %d", i)); err != nil || n != int64(i) {
			t.Fatal(n, err)
		}
	}
	if len(c.kept) != mostKept {
		t.Errorf("%d statements are kept, want %d", len(c.kept), mostKept)
	}
	// What was bound does not stay for the next time.
	for _, want := range []string{"a", "b"} {
		err := c.each("SELECT ?", []any{want}, func(s *stmt) error {
			if got := s.columnText(0); got != want {
				t.Errorf("%q, want %q", got, want)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
