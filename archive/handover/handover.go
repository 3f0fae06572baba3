// Package handover exports an archive: a bag of BagIt (package bag) with all objects,
// the documents to which its runs commit, trust files, seals, and the same history as
// PREMIS events. The ledger stays with its owner.
//
// A bag has exactly the objects of the ledger. The bytes of each object are hashed while
// they are copied, and the whole bag is checked as its receiver will check it. If anything
// is not as the ledger has it, or two parts contradict each other, there is no bag.
package handover

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/archive/bag"
	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Options define what to export, and where to.
type Options struct {
	Dir    string // the archive; nothing in it is written
	Ledger string
	Secret ledger.Secret
	Trust  []string // files that go along
	Seals  []string // seals and proofs to include, their records and lists of leaves
	Out    string   // the folder that the bag becomes; there must be nothing yet
	Tar    string   // also as an archive, "" for none; there must be nothing yet
	At     time.Time
	Tool   string // name and version of the program

	// Progress is called before each object is copied, with its path and the number of objects
	// copied so far.
	Progress func(path string, objects int64)
}

// export is an export under way.
type export struct {
	Options
	result Result
	found  bag.Found
	root   *listing.Root
	ledger *ledger.Ledger
}

// Export writes the bag, unless the result has a finding that rejects. An error is
// none of the archive: a file could not be opened or written, or ctx was done.
func Export(ctx context.Context, o Options) (r *Result, err error) {
	x := &export{Options: o, result: Result{Schema: ResultSchema, NotExamined: []string{}, Said: object.NewSaid()}}
	if err := x.places(); err != nil {
		return nil, err
	}
	if x.root, err = listing.Open(o.Dir); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, x.root.Close()) }()
	if x.ledger, err = ledger.Open(ctx, o.Ledger, o.Secret); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, x.ledger.Close()) }()
	if err := x.begin(ctx); err != nil {
		return nil, err
	}
	if err := x.compareNames(ctx); err != nil {
		return nil, err
	}
	if !x.found.Any() {
		if err := x.write(ctx); err != nil {
			return nil, err
		}
	}
	x.result.conclude(&x.found)
	return &x.result, nil
}

// places returns an error if something would be written into the archive, or replaced.
func (x *export) places() error {
	for _, name := range []string{x.Out, x.Tar} {
		if name == "" {
			continue
		}
		if err := ledger.Outside(x.Dir, name); err != nil {
			return err
		}
		if _, err := os.Lstat(name); err == nil {
			return fmt.Errorf("%s is there already: an export replaces nothing", safetext.Quote(name))
		}
	}
	if x.Tar != "" && filepath.Clean(x.Tar) == filepath.Clean(x.Out) {
		return errors.New("the bag and its archive have one name")
	}
	return ledger.Outside(x.Dir, x.Ledger)
}

// begin finds out how far the ledger can be believed. The newest run must commit to its
// objects, so that anyone can compute the root from a bag.
func (x *export) begin(ctx context.Context) error {
	number, digest := x.ledger.Newest()
	x.result.Run, x.result.RunSHA256 = number, hex.EncodeToString(digest[:])
	switch x.ledger.Standing() {
	case ledger.Changed:
		return fmt.Errorf("the ledger was altered: %w", x.ledger.Fault())
	case ledger.Foreign:
		x.result.Foreign = true
		x.result.NotExamined = append(x.result.NotExamined,
			"The ledger was written under another key: whether its owner wrote its rows was not examined.")
	}
	e, err := x.ledger.Expect(ctx, digest)
	if err == nil && !e.Fits {
		err = errors.New("no finished run of the ledger has all of its objects as they are now: svc-verify archive check")
	}
	return err
}

// write writes the bag and, if nothing was found, puts it into its place.
func (x *export) write(ctx context.Context) (err error) {
	w, err := bag.Create(x.Out)
	if err != nil {
		return fmt.Errorf("%s: %w", safetext.Quote(x.Out), err)
	}
	defer func() { err = errors.Join(err, w.Discard()) }()
	err = w.AddTag(bag.PremisName, func(out io.Writer) error { return x.copyObjects(ctx, w, out) })
	if err != nil || x.found.Any() {
		return err
	}
	if err := x.tagFiles(ctx, w); err != nil {
		return err
	}
	if err := w.Finish(x.info()); err != nil {
		return err
	}
	said, err := w.CompareParts(ctx, &x.found)
	if err != nil || x.found.Prevents() {
		return err
	}
	for _, sentence := range said {
		if !slices.Contains(x.result.NotExamined, sentence) {
			x.result.NotExamined = append(x.result.NotExamined, sentence)
		}
	}
	return x.placeBag(ctx, w)
}

// placeBag puts the bag into its place, and writes it as an archive too, if requested.
func (x *export) placeBag(ctx context.Context, w *bag.Writer) error {
	x.result.Bag = x.Out
	if x.Tar == "" {
		return w.Commit()
	}
	f, err := access.OpenAside(x.Tar)
	if err != nil {
		return err
	}
	defer f.Discard()
	if err := w.Tar(ctx, f, filepath.Base(filepath.Clean(x.Out)), x.At); err != nil {
		return err
	}
	if err := w.Commit(); err != nil {
		return err
	}
	return f.Commit()
}

// info returns the tags of bag-info.txt.
func (x *export) info() []bag.Tag {
	return []bag.Tag{
		{Label: "Bagging-Date", Value: x.At.UTC().Format(time.DateOnly)},
		{Label: "Bag-Software-Agent", Value: x.Tool},
		{Label: "External-Identifier", Value: x.result.Archive},
		{Label: "Archive-Run", Value: fmt.Sprint(x.result.Run)},
		{Label: "Archive-Run-SHA256", Value: x.result.RunSHA256},
	}
}
