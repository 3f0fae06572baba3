package entry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/spool"
)

// Stdin names standard input among the paths and the lists.
const Stdin = listing.Stdin

// Source is the input of a batch.
type Source struct {
	// Paths are files, directories and archives, in the order to examine them.
	Paths []string

	// Lists are files of names, one on each line, or ended by NUL if the first
	// name is. They are examined behind Paths. A name is a path like those, but
	// for "-", which is a file of that name.
	Lists []string

	// Stdin is standard input, which can be named once.
	Stdin io.Reader

	// Only are patterns; see the package comment. With none, every entry is taken.
	Only listing.Patterns

	// KeepStdin keeps a copy of standard input in a temporary file, so that
	// [Set.Again] can read it.
	KeepStdin bool

	// TempDir is where temporary files are made; "" is the system's choice.
	TempDir string

	// LeaveOut reports whether a file below a directory is no entry, since the caller writes
	// it. It may be nil.
	LeaveOut func(fs.FileInfo) bool

	// Limits apply to compressed content and to archives.
	Limits read.Limits

	roots listing.Roots // of the paths
}

// maxEntry is how much is read of an entry: enough to know that it is too large.
const maxEntry = form.MaxBundle + 1

// Set is the entries of a batch. It must come from [New].
type Set struct {
	source Source
	counts Counts
	stdin  *spool.Temporary // a copy of standard input; nil if none is kept
	again  cursor
}

// Counts counts the things that a walk passed without making them entries.
type Counts struct {
	LeftOut int64 // entries that no pattern matches
	Own     int64 // files that the caller writes
	Empty   int64 // paths, lists and archives that have no entries
}

// New returns the entries of a source. The error is that standard input is named twice,
// or is not there.
func New(source Source) (*Set, error) {
	named := 0
	for _, names := range [][]string{source.Paths, source.Lists} {
		for _, name := range names {
			if name == Stdin {
				named++
			}
		}
	}
	switch {
	case named > 1:
		return nil, errors.New("standard input can be named only once")
	case named == 1 && source.Stdin == nil:
		return nil, errors.New("there is no standard input")
	}
	source.roots = listing.RootsOf(source.Paths)
	return &Set{source: source}, nil
}

// Walk yields every entry in order. It ends with the first error that yield returns, with the
// context's error, or with one that is about no entry: a list that cannot be read, or a
// temporary file that cannot be written. It can be called once.
func (s *Set) Walk(ctx context.Context, yield func(Entry) error) error {
	w := &walk{ctx: ctx, source: &s.source, counts: &s.counts, yield: yield, names: newNames()}
	if s.source.KeepStdin {
		w.keep = func(r io.Reader) (io.Reader, error) { return s.keepStdin(r) }
	}
	for _, name := range s.source.Paths {
		if err := w.argument(name); err != nil {
			return err
		}
	}
	for _, name := range s.source.Lists {
		before := w.all
		if err := listing.ReadList(ctx, name, s.source.Stdin, w.argument); err != nil {
			return err
		}
		if w.all == before {
			w.counts.Empty++
		}
	}
	return nil
}

// Counts returns the counts of the walk.
func (s *Set) Counts() Counts { return s.counts }

// Close removes the kept standard input.
func (s *Set) Close() error {
	s.again.stop()
	if s.stdin == nil {
		return nil
	}
	return s.stdin.Close()
}

// keepStdin returns a reader of standard input that keeps the bytes that it reads.
func (s *Set) keepStdin(r io.Reader) (io.Reader, error) {
	t, err := spool.Create(s.source.TempDir)
	if err != nil {
		return nil, err
	}
	s.stdin = t
	return io.TeeReader(r, &kept{t}), nil
}

// kept writes to a temporary file. A failure to write is no fault of the content.
type kept struct{ to io.Writer }

// Write implements io.Writer.
func (k *kept) Write(p []byte) (int, error) {
	n, err := k.to.Write(p)
	if err != nil {
		err = &fatalError{fmt.Errorf("writing a temporary file: %w", access.WithoutPath(err))}
	}
	return n, err
}

// fatalError is a fault of the machine, and not of the content: it ends the walk.
type fatalError struct{ error }

func (f *fatalError) Unwrap() error { return f.error }
