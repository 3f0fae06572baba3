package handover

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"

	"github.com/svc-edge/svc-verify/archive/bag"
	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/internal/spool"
	"github.com/svc-edge/svc-verify/internal/sqlite/guard"
)

// tagFiles writes the files that accompany the objects.
func (x *export) tagFiles(ctx context.Context, w *bag.Writer, events *spool.Temporary) error {
	if err := x.writeHistory(ctx, w); err != nil {
		return err
	}
	if _, err := events.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := w.AddTag(bag.PremisName, events); err != nil {
		return err
	}
	if err := x.trustFiles(w); err != nil {
		return err
	}
	return x.along(w, bag.SealsFolder, x.Seals, nil)
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
	_, err = kept.Seek(0, io.SeekStart)
	return errors.Join(err, w.AddTag(name, kept))
}

// trustFiles copies the trust files, and reports if none is the newest run's.
func (x *export) trustFiles(w *bag.Writer) error {
	newest, err := x.ledger.Run(x.result.Run)
	if err != nil {
		return err
	}
	found := false
	err = x.along(w, bag.TrustFolder, x.Trust, func(content []byte) {
		found = found || sha256.Sum256(content) == newest.Trust
	})
	if !found {
		x.result.NotExamined = append(x.result.NotExamined, fmt.Sprintf(
			"No trust file that goes along is that of the newest run, whose SHA-256 is %x.", newest.Trust))
	}
	return err
}

// mostAlong is the largest size of an accompanying file.
const mostAlong = 256 << 20

// along copies files into a folder of the bag, under their own names.
func (x *export) along(w *bag.Writer, into string, files []string, look func([]byte)) error {
	names := make([]string, 0, len(files))
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
		err := open(file, func(r io.Reader) error {
			content, err := io.ReadAll(io.LimitReader(r, mostAlong+1))
			if err == nil && len(content) > mostAlong {
				err = fmt.Errorf("%s is too large to go along", safetext.Quote(file))
			}
			if err == nil && look != nil {
				look(content)
			}
			return errors.Join(err, w.AddTag(into+names[i], bytes.NewReader(content)))
		})
		if err != nil {
			return err
		}
	}
	return nil
}
