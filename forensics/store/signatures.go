package store

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
)

// KnownSignatures sets known[i] where digests[i] was kept before. What a digest
// is of is for its writer to say; it must cover key, message and signature.
func (c *Case) KnownSignatures(ctx context.Context, digests []chain.Hash, known []bool) error {
	return c.read(func(r *conn) error {
		find, err := r.take("SELECT 1 FROM signatures WHERE digest = ?")
		if err != nil {
			return err
		}
		defer r.keep(find)
		for i := range digests {
			if err := ctx.Err(); err != nil {
				return err
			}
			find.blob(0, digests[i][:])
			if known[i], err = find.step(); err != nil {
				return err
			}
			find.reset()
		}
		return nil
	})
}

// KeepSignatures remembers signatures that hold.
func (w *Writer) KeepSignatures(digests []chain.Hash) error {
	add, err := w.conn.prepare("INSERT OR IGNORE INTO signatures VALUES (?)")
	if err != nil {
		return err
	}
	defer add.close()
	// In ascending order neighbours share a page.
	sorted := slices.SortedFunc(slices.Values(digests), func(a, b chain.Hash) int { return bytes.Compare(a[:], b[:]) })
	err = w.begin()
	for i := range sorted {
		if err == nil {
			add.blob(0, sorted[i][:])
			err = add.do()
		}
	}
	w.pending += int64(len(digests))
	return errors.Join(err, w.commitIfDue())
}
