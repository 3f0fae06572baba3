package ledger

import (
	"context"
	"errors"
	"math"

	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// Adopt makes a foreign ledger one of the user's own, in one transaction. Its content is
// trusted from then on, but none of its verdicts is used. A run that was interrupted is
// dropped with its changes. It does nothing for a ledger of the user's own.
func (w *Writer) Adopt(ctx context.Context) error {
	if w.standing == Own {
		return nil
	}
	if w.standing != Foreign {
		return ErrNotOwn
	}
	for _, err := range w.Runs(ctx) {
		if err != nil {
			return err
		}
	}
	if err := errors.Join(w.prepare(), w.conn.Exec("BEGIN IMMEDIATE")); err != nil {
		return err
	}
	before := w.state
	if err := w.adopt(ctx); err != nil {
		w.state = before
		w.names.forget()
		return errors.Join(err, w.conn.Rollback())
	}
	w.standing = Own
	return w.Commit()
}

// adopt writes new codes to all rows, while the ledger is still foreign.
func (w *Writer) adopt(ctx context.Context) error {
	s := &w.state
	s.keyID, s.sum, s.began, s.changes, s.nth = w.keys.id[:], sum{}, 0, 0, 0
	if err := w.conn.Run("DELETE FROM changes WHERE run > ?", s.runs); err != nil {
		return err
	}
	if err := w.recode("names", "name", "value", w.keys.name); err != nil {
		return err
	}
	if err := w.recode("runs", "run", "record", w.keys.run); err != nil {
		return err
	}
	for o, err := range w.Objects(ctx) {
		if err != nil {
			return err
		}
		entry, err := w.packer.pack(o)
		if err == nil {
			err = w.write(w.stmts.update, []byte(o.Path), entry)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// recode writes new codes to the rows of a table.
func (w *Writer) recode(table, key, value string, codeOf func(int64, []byte) code) error {
	last, more := int64(math.MinInt64), true
	for more {
		codes := map[int64]code{}
		query := "SELECT " + key + ", " + value + " FROM " + table + " WHERE " + key + " > ? ORDER BY " + key + " LIMIT ?"
		err := w.conn.Each(query, []any{last, int64(chunk)}, func(s *sqlite.Stmt) error {
			last = s.Int(0)
			codes[last] = codeOf(last, s.Blob(1))
			return nil
		})
		if err != nil {
			return err
		}
		for n, code := range codes {
			w.state.sum.add(w.keys, code)
			if err := w.conn.Run("UPDATE "+table+" SET code = ? WHERE "+key+" = ?", code[:], n); err != nil {
				return err
			}
		}
		more = len(codes) == chunk
	}
	return nil
}
