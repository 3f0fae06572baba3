package handover

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"

	"github.com/svc-edge/svc-verify/archive/bag"
	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/internal/spool"
	"github.com/svc-edge/svc-verify/internal/sqlite/guard"
)

// tagFiles writes the files that accompany the objects.
func (x *export) tagFiles(ctx context.Context, w *bag.Writer, events *spool.Temporary) error {
	if err := x.writeHistory(ctx, w); err != nil {
		return err
	}
	if err := addSpool(w, bag.PremisName, events); err != nil {
		return err
	}
	return errors.Join(x.along(w, bag.TrustFolder, x.Trust), x.along(w, bag.SealsFolder, x.Seals))
}

// writeHistory writes the records of all runs, and the objects and changes to which they commit.
func (x *export) writeHistory(ctx context.Context, w *bag.Writer) error {
	changes := func(yield func(run.Change, error) bool) {
		for n := range x.result.Run {
			for c, err := range x.ledger.Changes(ctx, n+1) {
				if !yield(c, err) {
					return
				}
			}
		}
	}
	return errors.Join(
		addLines(w, bag.RunsName, x.ledger.Runs(ctx), func(r ledger.Run) []byte { return r.Document }),
		addLines(w, bag.ObjectsName, x.ledger.Objects(ctx), func(o *ledger.Object) []byte {
			row := o.Committed()
			return row.Leaf()
		}),
		addLines(w, bag.ChangesName, changes, func(c run.Change) []byte { return c.Line() }))
}

// addLines writes documents into the bag, one a line.
func addLines[T any](w *bag.Writer, name string, all iter.Seq2[T, error], document func(T) []byte) (err error) {
	kept, err := spool.Create("")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, kept.Close()) }()
	out := bufio.NewWriter(kept)
	for one, err := range all {
		if err == nil {
			_, err = out.Write(append(document(one), '\n'))
		}
		if err != nil {
			return err
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return addSpool(w, name, kept)
}

// addSpool copies a temporary file into the bag, from its beginning.
func addSpool(w *bag.Writer, name string, written *spool.Temporary) error {
	_, err := written.Seek(0, io.SeekStart)
	if err == nil {
		_, err = w.AddTag(name, written)
	}
	return err
}

// mostAlong is the largest size of an accompanying file.
const mostAlong = 256 << 20

// along copies files into a folder of the bag, under their own names.
func (x *export) along(w *bag.Writer, into string, files []string) error {
	var names []string
	for _, file := range files {
		if info, err := os.Stat(file); err == nil && guard.Owns(x.ledger.Path(), info) {
			return fmt.Errorf("%s cannot go along: it is the ledger, which stays with its owner",
				safetext.Quote(file))
		}
		names = append(names, filepath.Base(file))
	}
	for i, file := range files {
		if why := bag.Refused(names)[names[i]]; why != "" {
			return fmt.Errorf("%s cannot go along: %s", safetext.Quote(file), safetext.Line(why))
		}
		f, err := access.OpenRegular(file)
		if err != nil {
			return err
		}
		n, err := w.AddTag(into+names[i], io.LimitReader(f, mostAlong+1))
		if err == nil && n > mostAlong {
			err = fmt.Errorf("%s is too large to go along", safetext.Quote(file))
		}
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}
