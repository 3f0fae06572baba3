package casefile

import (
	"bytes"
	"context"
	"crypto/sha256"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/casefile/sqlite"
)

// Kept is what commands have left in a case for those that follow. It counts under
// the key of the user who left it.
type Kept struct{ c *Case }

// Kept returns what was left in the case.
func (c *Case) Kept() Kept { return Kept{c} }

// Pass is a pass over a whole case whose result the case can keep.
type Pass struct {
	Name  string     // one result is kept of each
	About chain.Hash // of everything that decides the result, besides the evidence
}

// Pass returns the result that was kept of a pass over the whole case, and ok
// false if there is none that the case's key vouches for, if it was about
// something else, or if the evidence has changed since: in any octet, by anyone.
func (k Kept) Pass(ctx context.Context, of Pass) (result []byte, ok bool, err error) {
	if k.c.lineage == nil || ctx.Err() != nil {
		return nil, false, ctx.Err()
	}
	err = k.c.read(func(r *sqlite.Conn) error {
		value, err := remembered(r, k.c.key, k.c.passPlace(of))
		if under := k.c.under(of); err == nil && bytes.HasPrefix(value, under) {
			result, ok = value[len(under):], true
		}
		return err
	})
	return result, ok, err
}

func (s *standing) passPlace(of Pass) chain.Hash {
	return s.key.code("pass", []byte(of.Name), s.lineage)
}

// under is what a result begins with: the evidence that it is of, as the case
// was when it was opened, and what it is about.
func (s *standing) under(of Pass) []byte {
	return append(append(make([]byte, 0, 2*sha256.Size), s.place[:]...), of.About[:]...)
}

// Keep keeps the result of a pass over the whole case, in place of the one that
// was kept before. It keeps nothing if no key vouches for the case, or if
// evidence was added since it was opened: what the case is then is known when it
// is closed.
func (w *Writer) Keep(of Pass, result []byte) error {
	if w.lineage == nil || w.changed {
		return nil
	}
	if err := w.begin(); err != nil {
		return err
	}
	return remember(w.conn, w.standing.key, w.passPlace(of), append(w.under(of), result...))
}
