package batch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/svc-edge/svc-verify/batch/entry"
	"github.com/svc-edge/svc-verify/contradiction"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/internal/spool"
)

// SaveContradictions writes each contradiction to a folder, which is made if it is
// not there, as one file with both bundles (SPEC 14.4). The name of a file depends
// on its content alone. It reads the bundles again, and a bundle that has changed
// meanwhile is an error.
func (r *Result) SaveContradictions(ctx context.Context, set *entry.Set, dir string) (err error) {
	if r.found.Len() == 0 {
		return nil
	}
	if err := os.MkdirAll(dir, 0o777); err != nil { // #nosec G301 -- as any folder, within the process's mask
		return err
	}
	documents, err := spool.New(r.tempDir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, documents.Close()) }()
	at := map[uint32]int{} // of an entry: the index of its document
	for _, i := range slices.Sorted(maps.Keys(r.named)) {
		doc, err := r.rereadEntry(ctx, set, i)
		if err != nil {
			return err
		}
		at[i] = documents.Len()
		if err := documents.Add(doc); err != nil {
			return err
		}
	}
	for c, err := range r.Contradictions() {
		if err != nil {
			return err
		}
		first, err := documents.At(at[c.earlier])
		if err != nil {
			return err
		}
		second, err := documents.At(at[c.later])
		if err != nil {
			return err
		}
		if err := saveContradiction(dir, c.Finding.Code, first, second); err != nil {
			return err
		}
	}
	return nil
}

// rereadEntry reads an entry once more.
func (r *Result) rereadEntry(ctx context.Context, set *entry.Set, i uint32) ([]byte, error) {
	record, err := r.readRecord(i)
	if err != nil {
		return nil, err
	}
	doc, err := set.Again(ctx, record.Ref)
	if err == nil && sha256Of(doc) != record.SHA256 {
		err = errors.New("it has changed since it was verified")
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s again: %w", safetext.Quote(record.Name), err)
	}
	return doc, nil
}

// saveContradiction writes one contradiction.
func saveContradiction(dir string, code contradiction.Code, first, second []byte) error {
	doc, err := contradiction.Marshal(code, first, second)
	if err != nil {
		return err
	}
	f, err := access.OpenAside(filepath.Join(dir, fmt.Sprintf("%s-%.16s.json", code, sha256Of(doc))))
	if err != nil {
		return err
	}
	defer f.Discard()
	if _, err := f.Write(doc); err != nil {
		return err
	}
	return f.Commit()
}

func sha256Of(doc []byte) string {
	sum := sha256.Sum256(doc)
	return hex.EncodeToString(sum[:])
}
