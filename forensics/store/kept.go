package store

import (
	"bytes"
	"context"
	"crypto/sha256"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// Kept reads the results of earlier commands in a case. It returns only results that were
// written under the user's key.
type Kept struct{ f *File }

// Kept returns a view of the results that earlier commands left in the case.
func (f *File) Kept() Kept { return Kept{f} }

// Kept returns the same view.
func (w *Writer) Kept() Kept { return w.file.Kept() }

// Pass identifies a pass over a whole case whose result the case can keep.
type Pass struct {
	Name  string     // one result is kept of each
	About chain.Hash // of everything that decides the result, besides the evidence
}

// Pass returns the kept result of a pass over the whole case. ok is false if there
// is none, if the case's key does not vouch for it, if it was about something else,
// or if any byte of the evidence has changed since.
func (k Kept) Pass(ctx context.Context, of Pass) (result []byte, ok bool, err error) {
	if k.f.lineage == nil || ctx.Err() != nil {
		return nil, false, ctx.Err()
	}
	err = k.f.withConn(func(r *sqlite.Conn) error {
		value, err := readStanding(r, k.f.key, k.f.passPlace(of))
		if under := k.f.under(of); err == nil && bytes.HasPrefix(value, under) {
			result, ok = value[len(under):], true
		}
		return err
	})
	return result, ok, err
}

func (s *standing) passPlace(of Pass) chain.Hash {
	return s.key.code("pass", []byte(of.Name), s.lineage)
}

// under is the beginning of a result: its evidence, as the case was when it was opened, and
// its subject.
func (s *standing) under(of Pass) []byte {
	return append(append(make([]byte, 0, 2*sha256.Size), s.place[:]...), of.About[:]...)
}

// Keep replaces the kept result of a pass over the whole case. It keeps nothing if
// no key vouches for the case, or if evidence was added since it was opened: the
// new state of the case is only known once it is closed.
func (w *Writer) Keep(of Pass, result []byte) error {
	if w.lineage == nil || w.changed {
		return nil
	}
	if err := w.begin(); err != nil {
		return err
	}
	return writeStanding(w.conn, w.standing.key, w.passPlace(of), append(w.under(of), result...))
}
