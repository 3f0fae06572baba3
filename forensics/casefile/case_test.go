package casefile

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/sqlite"
	"github.com/svc-edge/svc-verify/internal/sqlite/guard"
)

// TestOlderCaseIsReadOnceItWasWritten: who only reads leaves an older case as it
// is and says what to do, and that is enough.
func TestOlderCaseIsReadOnceItWasWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "case.db")
	c := must.Get(sqlite.Open(path, sqlite.Create))(t)
	first := guard.Kind{Steps: kind.Steps[:1]}
	settings := fmt.Sprintf("PRAGMA application_id=%d", kind.ApplicationID)
	must.Do(t, errors.Join(c.Exec(settings), first.Migrate(c), c.Close()))
	for range 2 {
		if _, err := OpenRead(path); err == nil || !strings.Contains(err.Error(), "version 1") ||
			!strings.Contains(err.Error(), "svc-verify ingest CASE PATH") {
			t.Errorf("OpenRead: %v", err)
		}
	}
	w := must.Get(OpenWrite(path))(t)
	must.Do(t, w.Close())
	r := must.Get(OpenRead(path))(t)
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// TestFullDisk: who runs out of room is told what to do, and that does it.
func TestFullDisk(t *testing.T) {
	w, _ := newWriter(t)
	pages := must.Get(w.conn.Number("PRAGMA page_count"))(t)
	must.Do(t, w.conn.Exec(fmt.Sprintf("PRAGMA max_page_count=%d", pages)))
	many := func() error {
		for i := range 2000 {
			if err := w.Refuse(facts.Unread{Path: fmt.Sprint(i), Detail: strings.Repeat("d", 100)}); err != nil {
				return err
			}
		}
		return w.Commit()
	}
	if err := many(); err == nil || !strings.Contains(err.Error(), "full") ||
		!strings.Contains(err.Error(), "make room on the disk and run the same command again") {
		t.Errorf("a full disk: %v", err)
	}
	if err := errors.Join(w.conn.Rollback(), w.conn.Exec("PRAGMA max_page_count=1000000"), many(), w.Close()); err != nil {
		t.Error(err)
	}
}

// TestOlderCodes: a code that became another one is read as that one, and goes with it.
func TestOlderCodes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "case.db")
	w := must.Get(OpenWrite(path))(t)
	must.Do(t, errors.Join(w.Refuse(facts.Unread{Path: "a", Code: "source.symlink"}),
		w.Refuse(facts.Unread{Path: "b", Code: "source.symlink"}), w.Withdraw("b", finding.SourceNotEvidence),
		w.Refuse(facts.Unread{Path: "b", Code: "source.no-record"}), w.Commit(), w.Close()))
	r := must.Get(OpenRead(path))(t)
	defer r.Close()
	all, err := r.Unread(t.Context())
	if err != nil || len(all) != 2 || all[0].Code != "source.not-evidence" || all[1].Code != "source.no-record" {
		t.Errorf("%v, %v", all, err)
	}
}
