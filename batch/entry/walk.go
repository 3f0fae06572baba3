package entry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/tasks"
	"github.com/svc-edge/svc-verify/outcome"
)

// walk goes through a source once.
type walk struct {
	ctx    context.Context
	source *Source
	counts *Counts
	yield  func(Entry) error
	names  *names
	keep   func(io.Reader) (io.Reader, error) // of standard input; nil if it is not kept

	path   string // that is being gone through
	file   string // that is being read
	inFile int64  // entries of it so far, also those that were left out
	all    int64  // entries of all files
	opened *container
}

// where is the place of content: a file, or a member in one.
type where struct {
	name    string        // unique
	place   outcome.Place // without a line
	matched string        // the name that patterns are matched with; "" if it is always included
}

// argument goes through one path that was given.
func (w *walk) argument(name string) error {
	before := w.all
	err := w.given(name)
	if err == nil && w.all == before {
		w.counts.Empty++
	}
	return err
}

func (w *walk) given(name string) error {
	if name == Stdin {
		return w.stdin()
	}
	w.path = name
	return listing.Walk(w.ctx, name, w.found)
}

// gives reports whether a real path is at or below one of the paths, or the one that a list
// named last.
func (w *walk) gives(target string) bool {
	return w.source.roots.Have(target) || listing.RootsOf([]string{w.path}).Have(target)
}

// found examines one file.
func (w *walk) found(f *listing.Found) error {
	matched := f.Below
	if f.Folder {
		matched = ""
	}
	switch {
	case errors.Is(f.Err, listing.ErrLink):
		switch info, err := os.Stat(f.Path); {
		case err == nil && w.source.LeaveOut != nil && w.source.LeaveOut(info):
			w.counts.Own++
			return nil
		case w.gives(listing.Target(f.Path)):
			return nil
		}
	case f.Err == nil:
		return w.regular(f)
	}
	return w.unreadable(f.Path, matched, f.Err)
}

// regular examines a file, unless it is one below a folder that is left out.
func (w *walk) regular(f *listing.Found) error {
	file, err := f.Open()
	if err != nil {
		return w.unreadable(f.Path, f.Below, err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return w.unreadable(f.Path, f.Below, access.WithoutPath(err))
	}
	if !f.Named && w.source.LeaveOut != nil && w.source.LeaveOut(info) {
		w.counts.Own++
		return nil
	}
	w.begin(f.Path)
	return w.examine(&content{walk: w, at: w.top(f.Path, f.Below), file: file, below: !f.Named, size: info.Size(),
		r: listing.Cancellable(w.ctx, file)})
}

// examine examines the given content. A fault of the program is one of the content.
func (w *walk) examine(c *content) error {
	err := tasks.Guard(c.examine)
	if broken := (*tasks.Panic)(nil); errors.As(err, &broken) {
		return w.emit(c.at, Entry{Size: -1, Err: broken})
	}
	return err
}

// begin begins a file.
func (w *walk) begin(path string) {
	w.file, w.inFile = path, 0
}

// top is the place of a file.
func (w *walk) top(name, below string) where {
	return where{name: w.names.unique(name), place: outcome.Place{File: name}, matched: below}
}

// unreadable yields a file or directory that cannot be read.
func (w *walk) unreadable(name, below string, why error) error {
	w.begin(name)
	return w.emit(w.top(name, below), Entry{Size: -1, Err: why})
}

// emit yields an entry, unless the patterns leave it out. A fault that is none of
// the entry ends the walk.
func (w *walk) emit(at where, e Entry) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if fatal := new(fatalError); errors.As(e.Err, &fatal) {
		return fatal
	}
	e.Ref = Ref{Path: w.file, At: w.inFile}
	w.inFile++
	w.all++
	if w.opened != nil {
		if over := w.opened.charge(); over != nil {
			e = Entry{Size: -1, Err: over, Ref: e.Ref}
		}
	}
	if !w.wanted(at.matched) {
		w.counts.LeftOut++
		return nil
	}
	e.Name, e.Place = at.name, at.place
	if w.opened != nil {
		return w.opened.hold(e)
	}
	return w.yield(e)
}

// wanted reports whether an entry with a name below an argument or in an archive is taken.
func (w *walk) wanted(below string) bool { return below == "" || w.source.Only.Match(below) }

// stdin examines standard input.
func (w *walk) stdin() error {
	in, end := listing.Unblocked(w.ctx, w.source.Stdin)
	defer end()
	if w.keep != nil {
		var err error
		if in, err = w.keep(in); err != nil {
			return fmt.Errorf("keeping standard input: %w", err)
		}
	}
	w.begin(Stdin)
	c := &content{walk: w, at: w.top(Stdin, ""), size: -1, r: listing.Cancellable(w.ctx, in)}
	return w.examine(c)
}
