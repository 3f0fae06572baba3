package casefile

import (
	"context"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// Standing is how far a case is trusted. Anyone who can write to the file can
// change it, so derived data in it proves nothing by itself.
type Standing int

// The standings of a case, from the least.
const (
	// Unknown: the key does not vouch for the evidence. It was checked when the
	// case was opened: every column that follows from an event's octets was
	// derived from them again. The maker of the case could choose the other
	// columns, and leave out rows.
	Unknown Standing = iota

	// Checked: the case passed the same check under this key earlier, and only
	// writers under this key have changed the evidence since.
	Checked

	// Made: all evidence was added by writers under this key.
	Made
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

// Reopened skips the check of a case that this process wrote to before.
func Reopened() Option { return func(s *standing) { s.reopened = true } }

// Alone makes a writer forget where the sources were, before it looks at anything
// else: the case is judged by what is in it, and no file is opened that it names.
// That changes the case, so open a copy.
func Alone() Option { return func(s *standing) { s.alone = true } }

// standing is what is known of a case's evidence, and under which key.
type standing struct {
	key      *Key
	notify   func(string)
	ctx      context.Context
	reopened bool
	alone    bool

	is      Standing
	place   chain.Hash // where it is remembered, if it is
	lineage []byte     // a name of what became of the case under the key; nil if that vouches for nothing
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

// stand finds out how far the evidence is believed, and checks it if nobody
// vouches for it.
func (s *standing) stand(c *sqlite.Conn) error {
	if s.reopened {
		return nil
	}
	return c.Snapshot(func() error {
		if s.key != nil {
			if err := s.recall(c); err != nil || s.lineage != nil {
				return err
			}
		}
		return check(s.ctx, c)
	})
}

// recall takes up what the key vouches for.
func (s *standing) recall(c *sqlite.Conn) error {
	sum, err := digestEvidence(s.ctx, c, s.key)
	if err != nil {
		return err
	}
	s.place = s.key.code("evidence", sum[:])
	value, err := remembered(c, s.key, s.place)
	if err != nil || len(value) == 0 {
		return err
	}
	s.is, s.lineage = Checked, value[1:]
	if value[0] == byte(Made) {
		s.is = Made
	}
	return nil
}

// vouch remembers that the evidence, as it is now, is what was checked or made,
// and what was added to that since.
func (w *Writer) vouch() error {
	if w.lineage == nil || !w.changed && !w.adopted {
		return nil
	}
	before := w.place
	if w.changed {
		if err := w.conn.Snapshot(w.measure); err != nil {
			return err
		}
	}
	return inOrder(w.begin,
		func() error { return w.conn.Run("DELETE FROM vouched WHERE place = ?", before[:]) },
		func() error {
			return remember(w.conn, w.standing.key, w.place, append([]byte{byte(w.is)}, w.lineage...))
		},
		w.Commit)
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
		w.is, w.lineage, w.adopted = Checked, newLineage(), true
	}
}
