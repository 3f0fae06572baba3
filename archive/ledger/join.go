package ledger

import (
	"errors"
	"iter"
	"strings"

	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/internal/listing"
)

// Pair is a path that a folder has, or a list of objects, or both.
type Pair[R any] struct {
	Path  string
	There bool
	Entry listing.Entry // if the folder has it
	Known bool
	Row   R // if the list has it
	// Unlisted is why a folder could not be listed that may have the path; nil if none is such.
	Unlisted error
}

// Join yields each path of a folder and of a list of objects, in ascending order. Both are
// in this order, and it is an error if the list is not. An error is the last thing that it
// yields.
func Join[R any](entries iter.Seq2[listing.Entry, error], rows iter.Seq2[R, error],
	path func(R) string) iter.Seq2[Pair[R], error] {
	return func(yield func(Pair[R], error) bool) {
		nextEntry, endEntries := iter.Pull2(entries)
		defer endEntries()
		nextRow, endRows := iter.Pull2(rows)
		defer endRows()
		entry, err, listed := nextEntry()
		row, fault, known := nextRow()
		var folder listing.Entry // the last one that could not be listed
		before := ""
		for listed || known {
			if err = errors.Join(err, fault); err == nil && known && path(row) <= before {
				err = errors.New("the ledger's objects are not in their order")
			}
			if err != nil {
				yield(Pair[R]{}, err)
				return
			}
			p := Pair[R]{There: listed && (!known || entry.Path <= path(row))}
			if p.Known = known && (!p.There || path(row) == entry.Path); p.Known {
				p.Path, p.Row, before = path(row), row, path(row)
			}
			if p.There {
				p.Path, p.Entry = entry.Path, entry
				if entry.Folder() {
					folder = entry
				}
			} else if folder.Err != nil && strings.HasPrefix(p.Path, folder.Path) {
				p.Unlisted = folder.Err
			}
			if !yield(p, nil) {
				return
			}
			if p.There {
				entry, err, listed = nextEntry()
			}
			if p.Known {
				row, fault, known = nextRow()
			}
		}
		if err = errors.Join(err, fault); err != nil {
			yield(Pair[R]{}, err)
		}
	}
}

// Examined yields pairs, but not the files that a list of objects does not have and that the patterns of a run
// cover. These are counted.
func Examined[R any](pairs iter.Seq2[Pair[R], error], g *run.Ignored) iter.Seq2[Pair[R], error] {
	return func(yield func(Pair[R], error) bool) {
		for p, err := range pairs {
			if err == nil && !p.Known && !p.Entry.Folder() && g.Covers(p.Path) {
				g.Count(p.Path)
			} else if !yield(p, err) {
				return
			}
		}
	}
}

// Ignored returns the patterns of the newest run, without a file that they cover.
func (l *Ledger) Ignored() (*run.Ignored, error) {
	if l.state.runs == 0 {
		return nil, nil
	}
	newest, err := l.Run(l.state.runs)
	return newest.Ignored.Again(), err
}
