package entry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/fault"
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

	file   string // that is being read
	inFile int64  // entries of it so far, also those that were left out
	all    int64  // entries of all files
	opened *container
}

// where is the place of content: a file, or a member in one.
type where struct {
	name    string        // unique
	place   outcome.Place // without a line
	matched string        // what patterns are matched with; "" if it is always taken
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
	info, err := os.Stat(name) // a link that was given is followed
	switch {
	case err != nil:
		return w.unreadable(name, filepath.Base(name), access.WithoutPath(err))
	case info.IsDir():
		return w.directory(name, "")
	case !info.Mode().IsRegular():
		return w.unreadable(name, filepath.Base(name), notRegular(info.Mode()))
	}
	return w.regular(name, filepath.Base(name), nil)
}

// directory goes through what is below a directory, of which below is the path
// from the argument, with slashes.
func (w *walk) directory(name, below string) error {
	children, err := list(name)
	if err != nil {
		if err := w.unreadable(name, "", err); err != nil {
			return err
		}
	}
	for _, c := range children {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		child, childBelow := filepath.Join(name, c.name()), path.Join(below, c.name())
		var err error
		switch {
		case c.directory():
			err = w.directory(child, childBelow)
		case c.odd():
			err = w.found(child, childBelow)
		default:
			err = w.regular(child, childBelow, w.source.LeaveOut)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// child is the name of a file in a directory. That of a directory ends in a slash,
// so that names are in the order of the paths below them. That of what is no regular
// file, such as a link, ends in a NUL, which changes no order.
type child string

func (c child) directory() bool { return c[len(c)-1] == '/' }

func (c child) odd() bool { return c[len(c)-1] == 0 }

func (c child) name() string {
	if c.directory() || c.odd() {
		return string(c[:len(c)-1])
	}
	return string(c)
}

// atOnce is how many names are read from a directory at once.
const atOnce = 1024

// list returns what is in a directory, in order. With an error, it is what could be
// found out.
func list(name string) ([]child, error) {
	dir, err := access.OpenFolder(name)
	if err != nil {
		return nil, access.WithoutPath(err)
	}
	defer dir.Close()
	var children []child
	for {
		found, err := dir.ReadDir(atOnce)
		for _, f := range found {
			c := child(f.Name())
			switch {
			case f.IsDir():
				c += "/"
			case !f.Type().IsRegular():
				c += "\x00"
			}
			children = append(children, c)
		}
		if err != nil {
			slices.Sort(children)
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return children, access.WithoutPath(err)
		}
	}
}

// found examines what was neither a file nor a directory when its directory was
// listed. A link is followed to a file, and never to a directory.
func (w *walk) found(name, below string) error {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && isLink(name):
		return w.unreadable(name, below, errors.New("a symbolic link to nothing"))
	case err != nil:
		return w.unreadable(name, below, access.WithoutPath(err))
	case info.IsDir():
		return w.unreadable(name, below, errors.New("a symbolic link to a directory, which is not followed"))
	case !info.Mode().IsRegular():
		return w.unreadable(name, below, notRegular(info.Mode()))
	}
	return w.regular(name, below, w.source.LeaveOut)
}

// notRegular says what there is in place of a regular file.
func notRegular(mode fs.FileMode) error {
	return errors.New("expected a regular file, found " + access.KindOf(mode))
}

func isLink(name string) bool {
	info, err := os.Lstat(name)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// regular examines a file, unless it is left out; leaveOut can be nil.
func (w *walk) regular(name, below string, leaveOut func(fs.FileInfo) bool) error {
	f, info, err := openRegular(name)
	if err != nil {
		return w.unreadable(name, below, err)
	}
	defer f.Close()
	if leaveOut != nil && leaveOut(info) {
		w.counts.Own++
		return nil
	}
	w.begin(name)
	in := &content{walk: w, at: w.top(name, below), file: f, size: info.Size(), r: &cancellable{w.ctx, f}}
	return w.examine(in)
}

// examine examines what was given. A fault of the program is one of the content.
func (w *walk) examine(c *content) error {
	err := fault.Guard(c.examine)
	if broken := (*fault.Error)(nil); errors.As(err, &broken) {
		return w.emit(c.at, Entry{Size: -1, Err: broken})
	}
	return err
}

// begin begins a file.
func (w *walk) begin(path string) {
	w.file, w.inFile = path, 0
}

// cancellable ends with the context.
type cancellable struct {
	ctx context.Context
	r   io.Reader
}

// Read implements io.Reader.
func (c *cancellable) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
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

// wanted reports whether a pattern matches a path below an argument or in an
// archive, or the last part of it.
func (w *walk) wanted(below string) bool {
	if len(w.source.Only) == 0 || below == "" {
		return true
	}
	return slices.ContainsFunc(w.source.Only, func(pattern string) bool {
		whole, _ := path.Match(pattern, below) // New has refused what is no pattern
		last, _ := path.Match(pattern, path.Base(below))
		return whole || last
	})
}

// stdin examines standard input.
func (w *walk) stdin() error {
	in, end := unblocked(w.ctx, w.source.Stdin)
	defer end()
	if w.keep != nil {
		var err error
		if in, err = w.keep(in); err != nil {
			return fmt.Errorf("keeping standard input: %w", err)
		}
	}
	w.begin(Stdin)
	c := &content{walk: w, at: w.top(Stdin, ""), size: -1, r: &cancellable{w.ctx, in}}
	return w.examine(c)
}

// unblocked is a reader that ends with the context. A read from a terminal or a
// pipe cannot be called off: one that still waits at the end is left behind.
func unblocked(ctx context.Context, from io.Reader) (r io.Reader, end func()) {
	out, in := io.Pipe()
	go func() {
		_, err := io.Copy(in, from)
		in.CloseWithError(err)
	}()
	stop := context.AfterFunc(ctx, func() { in.CloseWithError(ctx.Err()) })
	return out, func() {
		stop()
		_ = out.Close() // of a pipe, which cannot fail
	}
}
