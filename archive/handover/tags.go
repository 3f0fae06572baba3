package handover

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/svc-edge/svc-verify/archive/bag"
	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/internal/spool"
	"github.com/svc-edge/svc-verify/internal/sqlite/guard"
)

// The tag files of an export.
const (
	folder     = "svc-verify/"
	ledgerName = folder + "archive.ledger"
	runsName   = folder + "runs.jsonl"
	premisName = folder + "premis.xml"
)

// tagFiles writes what goes along with the objects.
func (x *export) tagFiles(ctx context.Context, w *bag.Writer, events *spool.Temporary) error {
	if err := x.copyLedger(ctx, w); err != nil {
		return fmt.Errorf("the ledger: %w", err)
	}
	var runs bytes.Buffer
	for r, err := range x.ledger.Runs(ctx) {
		if err != nil {
			return err
		}
		runs.Write(append(r.Document, '\n'))
	}
	if err := w.AddTag(runsName, &runs); err != nil {
		return err
	}
	if _, err := events.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := w.AddTag(premisName, events); err != nil {
		return err
	}
	if err := x.trustFiles(w); err != nil {
		return err
	}
	return x.along(w, "seals/", x.Seals, nil)
}

// trustFiles copies the trust files, and says if none is that of the newest run.
func (x *export) trustFiles(w *bag.Writer) error {
	newest, err := x.ledger.Run(x.result.Run)
	if err != nil {
		return err
	}
	found := false
	err = x.along(w, "trust/", x.Trust, func(content []byte) { found = found || sha256.Sum256(content) == newest.Trust })
	if !found {
		x.result.NotExamined = append(x.result.NotExamined, fmt.Sprintf(
			"No trust file that goes along is that of the newest run, whose SHA-256 is %x.", newest.Trust))
	}
	return err
}

// mostAlong is how large a file is that goes along.
const mostAlong = 256 << 20

// along copies files into a folder of the bag, under their own names.
func (x *export) along(w *bag.Writer, into string, files []string, look func([]byte)) error {
	names := make([]string, 0, len(files))
	for _, file := range files {
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
			return errors.Join(err, w.AddTag(folder+into+names[i], bytes.NewReader(content)))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// copyLedger copies the ledger's file. Nothing is written to it meanwhile, or the copy
// is refused: it is opened again, and must have the rows that were exported.
func (x *export) copyLedger(ctx context.Context, w *bag.Writer) (err error) {
	const busy = "a check is running, or was killed: run svc-verify archive check, then export again"
	if info, err := os.Stat(x.ledger.Path() + "-wal"); err == nil && info.Size() > 0 {
		return errors.New(busy)
	}
	temporary, err := os.MkdirTemp("", "svc-verify-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temporary)) }()
	name := filepath.Join(temporary, "archive.ledger")
	if err := guard.Copy(x.ledger.Path(), name); err != nil {
		return err
	}
	again, err := ledger.Open(ctx, name, x.Secret)
	if err != nil {
		return fmt.Errorf("%s (%w)", busy, err)
	}
	same, err := x.same(ctx, again)
	if err = errors.Join(err, again.Close()); err != nil {
		return err
	}
	if !same {
		return errors.New(busy)
	}
	return open(name, func(r io.Reader) error { return w.AddTag(ledgerName, r) })
}

// same reports whether another ledger has the objects and runs of the one that is
// exported.
func (x *export) same(ctx context.Context, other *ledger.Ledger) (bool, error) {
	_, _, want, err := x.ledger.Root(ctx)
	if err != nil {
		return false, err
	}
	_, _, got, err := other.Root(ctx)
	_, digest := x.ledger.Newest()
	_, others := other.Newest()
	return want == got && digest == others && other.Standing() == x.ledger.Standing(), err
}
