package handover

import (
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
	"github.com/svc-edge/svc-verify/internal/sqlite/guard"
)

// tagFiles writes the files that accompany the objects.
func (x *export) tagFiles(ctx context.Context, w *bag.Writer) error {
	return errors.Join(x.writeHistory(ctx, w), x.along(w, bag.TrustFolder, x.Trust),
		x.along(w, bag.SealsFolder, x.Seals))
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
func addLines[T any](w *bag.Writer, name string, all iter.Seq2[T, error], document func(T) []byte) error {
	return w.AddTag(name, func(out io.Writer) error {
		for one, err := range all {
			if err == nil {
				_, err = out.Write(append(document(one), '\n'))
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
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
		err = w.AddTag(into+names[i], func(out io.Writer) error {
			n, err := io.Copy(out, io.LimitReader(f, mostAlong+1))
			if err == nil && n > mostAlong {
				err = fmt.Errorf("%s is too large to go along", safetext.Quote(file))
			}
			return err
		})
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}
