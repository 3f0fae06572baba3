package store

import (
	"bytes"
	"context"
	"crypto/sha256"
)

// ArrivalSummary returns what was kept of a pass over all arrivals, and ok false
// if nothing was that the case's key vouches for, or if the evidence has changed
// since.
func (c *Case) ArrivalSummary(ctx context.Context) (summary []byte, ok bool, err error) {
	if c.lineage == nil || ctx.Err() != nil {
		return nil, false, ctx.Err()
	}
	err = c.read(func(r *conn) error {
		value, err := r.remembered(c.key, c.arrivalsPlace())
		if err == nil && len(value) > sha256.Size && bytes.Equal(value[:sha256.Size], c.place[:]) {
			summary, ok = value[sha256.Size:], true
		}
		return err
	})
	return summary, ok, err
}

func (s *standing) arrivalsPlace() [sha256.Size]byte { return s.key.code("arrivals", s.lineage) }

// KeepArrivalSummary keeps what a pass over all arrivals found, in place of what
// was kept before. It keeps nothing if evidence was added since the case was
// opened: what the case is then is known when it is closed.
func (w *Writer) KeepArrivalSummary(_ context.Context, summary []byte) error {
	if w.lineage == nil || w.changed {
		return nil
	}
	if err := w.begin(); err != nil {
		return err
	}
	return w.conn.remember(w.standing.key, w.arrivalsPlace(), append(w.place[:], summary...))
}
