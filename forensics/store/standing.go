package store

import (
	"context"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// An Option configures how a case is opened.
type Option func(*standing)

// With sets the key under which a case remembers results and returns them. A nil
// key remembers nothing.
func With(key *Key) Option { return func(s *standing) { s.key = key } }

// Notify sets a function that a writer calls on closing if its user must know
// something about the file.
func Notify(f func(string)) Option { return func(s *standing) { s.notify = f } }

// Until sets a context that can end the check on opening.
func Until(ctx context.Context) Option { return func(s *standing) { s.ctx = ctx } }

// Reopened skips the check of a case that this process wrote to before. The key vouches
// for it only as far as no one else has changed it since.
func Reopened() Option { return func(s *standing) { s.reopened = true } }

// Alone makes a writer forget where the sources were, before it examines anything else: the
// case is judged by its content, and no file is opened that it names. That changes the case,
// so open a copy.
func Alone() Option { return func(s *standing) { s.alone = true } }

// standing is the known state of a case's evidence, and its key.
type standing struct {
	key      *Key
	notify   func(string)
	ctx      context.Context
	reopened bool
	alone    bool
	keeper   *Custodian // nil: no entry is made

	is      Standing
	marked  bool       // the case has the mark of a writer under the key
	place   chain.Hash // where it is remembered, if it is
	lineage []byte     // a name of the case's state under the key; nil if that vouches for nothing
}

// newStanding returns the known state of a case before it is opened.
func newStanding(options []Option) *standing {
	s := &standing{notify: func(string) {}, ctx: context.Background()}
	for _, o := range options {
		o(s)
	}
	return s
}

// Standing returns how far the case was believed when it was opened.
func (s *standing) Standing() Standing { return s.is }

// begun begins the history of a case that was just made.
func (s *standing) begun() {
	s.is = Made
	if s.key != nil {
		s.lineage = newLineage()
	}
}

// isVouchedFor finds out how far the evidence is believed. If it returns false, no one vouches
// for it, and it must be checked.
func (s *standing) isVouchedFor(c *sqlite.Conn) (vouched bool, err error) {
	err = c.Snapshot(func() error {
		if s.key == nil {
			return nil
		}
		return s.recall(c)
	})
	return s.lineage != nil || s.reopened, err
}

// recall restores the state that the key vouches for.
func (s *standing) recall(c *sqlite.Conn) error {
	sum, err := digestEvidence(s.ctx, c, s.key)
	if err != nil {
		return err
	}
	s.place = s.key.code("evidence", sum[:])
	value, err := readStanding(c, s.key, s.place)
	if err != nil {
		return err
	}
	at, err := readStanding(c, s.key, s.atWork())
	s.marked = len(at) > 0
	switch {
	case len(value) > 0:
		s.is, s.lineage = Checked, value[1:]
		if known := Standing(value[0]); known == Made || known == Resumed {
			s.is = known
		}
	case s.marked:
		s.is = Interrupted
	}
	return err
}

// atWork is the place of the mark that a writer under the key is at work on evidence for which
// the key vouches. Such a mark that is found later shows that the writer never came to its
// end. It vouches for nothing, since others could have changed the case by then.
func (s *standing) atWork() chain.Hash { return s.key.code("at work") }

// mark records that a writer is at work, in the transaction of its first change.
func (w *Writer) mark() error {
	if w.lineage == nil || w.marked {
		return nil
	}
	w.marked = true
	return writeStanding(w.conn, w.standing.key, w.atWork(), w.lineage)
}

// vouch records that the evidence, as it is now, was checked or made under the key, with later
// additions.
func (w *Writer) vouch() error {
	if w.lineage == nil || !w.changed && !w.adopted {
		return nil
	}
	before, at := w.place, w.atWork()
	if w.changed {
		if err := w.conn.Snapshot(w.measure); err != nil {
			return err
		}
	}
	if err := w.begin(); err != nil {
		return err
	}
	err := w.conn.Run("DELETE FROM vouched WHERE place IN (?, ?)", before[:], at[:])
	if err == nil {
		err = writeStanding(w.conn, w.standing.key, w.place, append([]byte{byte(w.is)}, w.lineage...))
	}
	if err != nil {
		return err
	}
	return w.conn.Exec("COMMIT")
}

// measure digests the evidence as it is now.
func (w *Writer) measure() error {
	sum, err := digestEvidence(context.WithoutCancel(w.ctx), w.conn, w.standing.key)
	w.place = w.standing.key.code("evidence", sum[:])
	return err
}

// Adopt lets the key vouch for a case that was checked when it was opened.
func (w *Writer) Adopt() {
	if w.standing.key != nil && w.lineage == nil && !w.reopened {
		is := Checked
		if w.is == Interrupted {
			is = Resumed
		}
		w.is, w.lineage, w.adopted = is, newLineage(), true
	}
}
