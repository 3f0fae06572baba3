package entry

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"

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
	work   work   // that the file makes
}

// where is the place of content: a file, or a member in one.
type where struct {
	name    string        // unique
	place   outcome.Place // without a line
	matched string        // what patterns are matched with; "" if it is always taken
	depth   int           // how many archives it is in
	packed  int           // how many compressions it is in, in the innermost of them
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
	in := &content{walk: w, at: w.top(name, below), file: f, size: info.Size(), r: w.counted(f)}
	return in.examine()
}

// begin begins a file.
func (w *walk) begin(path string) {
	w.file, w.inFile, w.work = path, 0, work{limits: w.source.Limits}
}

// counted is a reader of the file that was begun.
func (w *walk) counted(r io.Reader) io.Reader { return &counted{w.ctx, r, &w.work} }

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
	if !w.wanted(at.matched) {
		w.counts.LeftOut++
		return nil
	}
	e.Name, e.Place = at.name, at.place
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
