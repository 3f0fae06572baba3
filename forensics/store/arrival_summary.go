package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/svc-edge/svc-verify/chain"
)

// ArrivalSummary returns what was kept of a pass over all arrivals, and ok false
// if nothing was, or if something was added to the case since.
func (c *Case) ArrivalSummary(ctx context.Context) (summary []byte, ok bool, err error) {
	digest, err := c.contents(ctx)
	if err != nil {
		return nil, false, err
	}
	const query = "SELECT summary FROM arrivals WHERE digest = ?"
	read := func(s *stmt) ([]byte, error) { return bytes.Clone(s.columnBlob(0)), nil }
	for summary, err := range rows(ctx, c, ask(query, digest[:]), read) {
		return summary, err == nil, err
	}
	return nil, false, nil
}

// KeepArrivalSummary keeps what a pass over all arrivals found, in place of what
// was kept before. Nothing may have been added that is not committed.
func (w *Writer) KeepArrivalSummary(ctx context.Context, summary []byte) error {
	digest, err := w.contents(ctx)
	if err != nil {
		return err
	}
	return errors.Join(w.begin(), w.conn.run("DELETE FROM arrivals"), w.conn.run("INSERT INTO arrivals VALUES (?, ?)", digest[:], summary))
}

// contents digests what was added to the case. Nothing is added without a note
// of how far its source has come with it, or of a path where it was given.
func (c *Case) contents(ctx context.Context) (chain.Hash, error) {
	const query = `SELECT json_array(source, size, hex(sha256), records, read, hex(read_sha256)) FROM sources
		UNION ALL SELECT json_array(source, path, absolute) FROM paths ORDER BY 1`
	h := sha256.New()
	for row, err := range rows(ctx, c, ask(query), func(s *stmt) (string, error) { return s.columnText(0), nil }) {
		if err != nil {
			return chain.Hash{}, err
		}
		fmt.Fprintln(h, row)
	}
	return chain.Hash(h.Sum(nil)), nil
}
