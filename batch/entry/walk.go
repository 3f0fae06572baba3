package entry

import (
	"context"
	"errors"
	"io"
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
