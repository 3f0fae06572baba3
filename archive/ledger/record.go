package ledger

import (
	"context"
	"crypto/hmac"
	"errors"
	"fmt"

	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// Root returns the values that a record contains about all objects as they are now: their
// number, their bytes, and the root over them.
func (l *Ledger) Root(ctx context.Context) (objects, octets int64, root run.Digest, err error) {
	l.reader.brief = true // no record commits to more
	defer func() { l.reader.brief = false }()
	tree := run.NewTree()
	for o, err := range l.Objects(ctx) {
		if err != nil {
			return 0, 0, root, err
		}
		leaf := o.Committed()
		tree.Object(&leaf)
		octets += o.Size
	}
	return tree.Size(), octets, tree.Root(), nil
}

// AppendRun ends the run that is going on with its record, and returns that. It sets
// number, previous record, objects, octets, root and changes. Its commit waits for the
// disk, since its digest is given to others.
func (w *Writer) AppendRun(ctx context.Context, r run.Record) (Run, error) {
	if err := errors.Join(w.Commit(), w.conn.Exec("PRAGMA synchronous=FULL"), w.change()); err != nil {
		return Run{}, err
	}
	before := w.state
	done, err := w.end(ctx, r)
	if err != nil {
		w.state = before
		return Run{}, errors.Join(err, w.conn.Rollback())
	}
	return done, w.conn.Exec("PRAGMA synchronous=NORMAL")
}

// end completes a record and commits it.
func (w *Writer) end(ctx context.Context, r run.Record) (done Run, err error) {
	r.Number, r.Previous = w.Next(), w.state.newest
	if r.Objects, r.Octets, r.Root, err = w.Root(ctx); err != nil {
		return Run{}, err
	}
	if err := w.recordChanges(ctx, &r); err != nil {
		return Run{}, err
	}
	return w.appendRecord(r)
}

// recordChanges lets the record commit to the changes, instead of the sum.
func (w *Writer) recordChanges(ctx context.Context, r *run.Record) error {
	tree := run.NewTree()
	err := w.lines(ctx, r.Number, func(l line) error {
		tree.Change(l.line)
		w.state.sum.remove(w.keys, w.keys.change(r.Number, l.path, l.nth, l.line))
		return nil
	})
	if err == nil && tree.Size() != w.state.changes {
		err = altered("there are %d changes, and %d were written", tree.Size(), w.state.changes)
	}
	r.Changed, r.Changes = tree.Size(), tree.Root()
	return err
}

func (w *Writer) appendRecord(r run.Record) (Run, error) {
	done := Run{Record: r, Document: r.Document()}
	if _, err := run.Parse(done.Document); err != nil {
		return Run{}, fmt.Errorf("the record of the run: %w", err)
	}
	done.Digest = r.Digest()
	code := w.keys.run(r.Number, done.Document)
	w.state.sum.add(w.keys, code)
	w.state.runs, w.state.newest, w.state.began = r.Number, done.Digest, 0
	w.state.changes, w.state.nth = 0, 0
	err := w.conn.Run("INSERT INTO runs VALUES (?, ?, ?)", r.Number, done.Document, code[:])
	return done, errors.Join(err, w.Commit())
}

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

// compare returns an error if the state is not the one that this writer wrote last: the lock
// is next to the file, and the file can have two names.
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

// Commit commits everything that was written so far. Writes that belong together, such as an
// object and its change, are made between two commits.
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
