package ledger

import (
	"crypto/hmac"

	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// change begins to change the ledger, in a transaction.
func (w *Writer) change() error {
	switch {
	case w.broken != nil:
		return w.broken
	case w.standing != Own:
		return ErrNotOwn
	case !w.conn.Autocommit():
		return nil
	}
	if err := w.conn.Exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	return w.fail(w.compare())
}

// compare returns an error if the state is not the one that this writer wrote last: the
// lock is beside the file, and the file can have two names.
func (w *Writer) compare() error {
	same, want := false, w.stateCode()
	err := w.conn.Each("SELECT code FROM state", nil, func(s *sqlite.Stmt) error {
		same = hmac.Equal(s.Blob(0), want[:])
		return nil
	})
	if err == nil && !same {
		err = altered("something else wrote to the ledger while it was in use")
	}
	return err
}

// fail notes that a write failed, if it did. Nothing is committed after that.
func (w *Writer) fail(err error) error {
	if err != nil && w.broken == nil {
		w.broken = err
	}
	return err
}

// Commit commits everything that was written so far. What belongs together, such as an
// object and its change, is written between two commits.
func (w *Writer) Commit() error {
	if w.broken != nil {
		return w.broken
	}
	if w.conn.Autocommit() {
		return nil
	}
	if err := w.saveState(w.conn); err != nil {
		return w.fail(err)
	}
	return w.fail(w.conn.Exec("COMMIT"))
}

// saveState writes the row of the state.
func (l *Ledger) saveState(c *sqlite.Conn) error {
	s, code := &l.state, l.stateCode()
	return c.Run("INSERT OR REPLACE INTO state VALUES (1, ?, ?, ?, ?, ?)", s.keyID, s.runs, s.newest[:], s.began, code[:])
}
