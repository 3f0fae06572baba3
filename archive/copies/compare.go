package copies

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"strings"
	"sync"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/internal/tasks"
	"github.com/svc-edge/svc-verify/outcome"
)

// Options are the two folders, and the means to decide which of them has an object whole. The
// ledger or the judge can be nil.
type Options struct {
	Archive, Copy string
	Ledger        *ledger.Ledger // believed only if its user's key wrote it
	Judge         *object.Judge
	// Progress is called before each object, with the number of objects before it.
	Progress func(path string, objects int64)
}

// triple is a path in the archive, the copy and the ledger.
type triple = ledger.Pair[ledger.Pair[*ledger.Object]]

// Compare compares two folders. An error is not about an object: a folder could not be
// opened, or ctx was done.
func Compare(ctx context.Context, o Options) (_ *Result, err error) {
	if err := areApart(o.Archive, o.Copy); err != nil {
		return nil, err
	}
	c := &comparison{Options: o, result: newResult()}
	defer func() { err = errors.Join(err, c.closeSides()) }()
	for i, dir := range []string{o.Archive, o.Copy} {
		root, err := listing.Open(dir)
		if err != nil {
			return nil, fmt.Errorf("opening %s: %w", safetext.Quote(dir), err)
		}
		c.sides[i] = side{root: root, reader: object.NewReader(root, &sync.Mutex{})}
	}
	rows, err := c.believedRows(ctx)
	if err != nil {
		return nil, err
	}
	inner := ledger.Join(c.sides[1].root.All(ctx), rows, ledger.PathOf)
	outer := ledger.Join(c.sides[0].root.All(ctx), inner, func(p ledger.Pair[*ledger.Object]) string { return p.Path })
	for t, err := range outer {
		if err == nil {
			err = c.compareObject(ctx, &t)
		}
		if err != nil {
			return nil, err
		}
	}
	c.result.finishVerdict(c)
	return c.result, nil
}

// areApart returns an error unless neither folder is in the other.
func areApart(archive, copied string) error {
	a, err := os.Stat(archive)
	if err != nil {
		return err
	}
	b, err := os.Stat(copied)
	if err != nil {
		return err
	}
	if os.SameFile(a, b) {
		return errors.New("the archive and the copy are one folder")
	}
	return errors.Join(ledger.Outside(archive, copied), ledger.Outside(copied, archive))
}

// comparison is a comparison in progress.
type comparison struct {
	Options
	sides   [2]side // the archive and the copy
	ignored *run.Ignored
	folder  listing.Entry // of the copy, the last that could not be listed
	result  *Result
}

// side is one of the two folders.
type side struct {
	root   *listing.Root
	reader *object.Reader
}

// closeSides closes the folders that were opened.
func (c *comparison) closeSides() (err error) {
	for _, s := range c.sides {
		if s.root != nil {
			err = errors.Join(err, s.reader.Close(), s.root.Close())
		}
	}
	return err
}

// believedRows returns the rows of the ledger, none of one that is not believed, and its patterns.
func (c *comparison) believedRows(ctx context.Context) (rows iter.Seq2[*ledger.Object, error], err error) {
	none := func(func(*ledger.Object, error) bool) {}
	if c.result.Ledger = "none"; c.Ledger != nil {
		c.result.Ledger = c.Ledger.Standing()
	}
	if c.result.Ledger != ledger.Own {
		return none, nil
	}
	c.ignored, err = c.Ledger.Ignored()
	return c.Ledger.Objects(ctx), err
}

// found is an object in one of the folders.
type found struct {
	Side
	reading *object.Reading
	there   bool
}

// compareObject compares one object.
func (c *comparison) compareObject(ctx context.Context, t *triple) error {
	row := t.Row.Row
	if !t.Row.Known {
		row = nil
	}
	if row == nil && c.ignored.Covers(t.Path) {
		c.ignored.Count(t.Path)
		return nil
	}
	if c.Progress != nil {
		c.Progress(object.PathText(t.Path), c.result.Counts.Objects)
	}
	if t.Row.There && t.Row.Entry.Folder() {
		c.folder = t.Row.Entry
	} else if !t.Row.There && c.folder.Err != nil && strings.HasPrefix(t.Path, c.folder.Path) {
		t.Row.Unlisted = c.folder.Err
	}
	var both [2]found
	var faults [2]error
	var reading sync.WaitGroup
	for i, at := range []struct {
		there    bool
		entry    listing.Entry
		unlisted error
	}{{t.There, t.Entry, t.Unlisted}, {t.Row.There, t.Row.Entry, t.Row.Unlisted}} {
		reading.Go(func() {
			faults[i] = tasks.Guard(func() error {
				return both[i].readObject(ctx, c.sides[i].reader, t.Path, at.there, errors.Join(at.entry.Err, at.unlisted))
			})
		})
	}
	reading.Wait()
	err := errors.Join(faults[:]...)
	if err == nil {
		err = c.findWhole(ctx, t.Path, row, &both)
	}
	for i := range both {
		err = errors.Join(err, c.sides[i].reader.Done(both[i].reading))
	}
	return err
}

// readObject reads an object. A fault of the object is kept in f, and is no error.
func (f *found) readObject(ctx context.Context, r *object.Reader, path string, there bool, listed error) error {
	f.there = there || listed != nil
	if listed != nil {
		f.Fault = safetext.Line(listed.Error())
	}
	if !f.there || listed != nil {
		return nil
	}
	got, unread, err := r.Read(ctx, path, 0)
	f.reading = got
	if unread != nil {
		f.Fault = safetext.Line(unread.Error())
	} else if err == nil {
		f.Size, f.SHA256 = got.Size, fmt.Sprintf("%x", got.SHA256)
	}
	return err
}

// findWhole decides which of the two is whole.
func (c *comparison) findWhole(ctx context.Context, path string, row *ledger.Object, both *[2]found) error {
	o := Object{Path: object.PathText(path), State: stateOf(both), By: "nothing"}
	var whole [2]bool
	switch {
	case row != nil && row.ReadAt != 0:
		o.By, o.SHA256 = "ledger", fmt.Sprintf("%x", row.SHA256)
		for i := range both {
			whole[i] = both[i].SHA256 == o.SHA256
		}
	case c.Judge != nil:
		for i := range both {
			if i == 1 && o.State == Same {
				both[1].Verdict = both[0].Verdict
			} else if both[i].reading != nil && both[i].Fault == "" {
				judged, err := c.Judge.Reading(ctx, both[i].reading)
				if err = errors.Join(err, c.Judge.Err()); errors.Is(err, object.ErrChanged) {
					both[i].Fault = err.Error()
				} else if err != nil {
					return err
				}
				both[i].Verdict = judged.Verdict
			}
			if both[i].Verdict != "" {
				o.By = "verification"
			}
			whole[i] = both[i].Verdict == outcome.Verified
		}
	}
	o.Whole = wholeOf(whole, o.By)
	o.Archive, o.Copy = both[0].Side, both[1].Side
	if o.Whole == InArchive || o.Whole == InCopy {
		o.Words = c.copyCommands(path, o.Whole, both)
	}
	c.result.addObject(&o)
	return nil
}
