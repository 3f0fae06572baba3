package store

import (
	"bytes"
	"context"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// Signatures sets known[i] if digests[i] was kept under the case's key. Each digest
// must cover key, message and signature, so that it means the same in any other
// case.
func (k Kept) Signatures(ctx context.Context, digests []chain.Hash, known []bool) error {
	if k.f.key == nil {
		clear(known)
		return nil
	}
	return k.f.withConn(func(r *sqlite.Conn) error {
		find, err := r.Take("SELECT 1 FROM signatures WHERE digest = ?")
		if err != nil {
			return err
		}
		defer r.Keep(find)
		for i := range digests {
			if err := ctx.Err(); err != nil {
				return err
			}
			code := k.f.key.code("signatures", digests[i][:])
			find.BindBlob(0, code[:])
			if known[i], err = find.Step(); err != nil {
				return err
			}
			find.Reset()
		}
		return nil
	})
}

// KeepSignatures remembers, under the case's key, digests of signatures that
// verified: see [Kept.Signatures]. They last from the next commit on.
func (w *Writer) KeepSignatures(digests []chain.Hash) error {
	key := w.standing.key
	if key == nil {
		return nil
	}
	add, err := w.conn.Prepare("INSERT OR IGNORE INTO signatures VALUES (?)")
	if err != nil {
		return err
	}
	defer add.Close()
	// In ascending order neighbours share a page.
	codes := make([]chain.Hash, len(digests))
	for i := range digests {
		codes[i] = key.code("signatures", digests[i][:])
	}
	slices.SortFunc(codes, func(a, b chain.Hash) int { return bytes.Compare(a[:], b[:]) })
	err = w.begin()
	for i := range codes {
		if err == nil {
			add.BindBlob(0, codes[i][:])
			err = add.Do()
		}
	}
	return err
}
