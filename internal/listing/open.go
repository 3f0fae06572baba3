package listing

import (
	"errors"
	"os"
	"strings"
)

// Reader opens objects of an archive. It remembers the folders that lead to the
// last one, so that objects are best asked for in their order. It must come from
// [Root.Reader], and only one goroutine may use it.
type Reader struct {
	root *Root
	path []string // the names of the folders that are open
	open []*os.Root
}

// Reader returns a new reader. The caller closes it.
func (r *Root) Reader() *Reader { return &Reader{root: r} }

// Close closes the folders that are open.
func (r *Reader) Close() error { return r.leaveFolders(0) }

// Open opens an object by its path as [Root.All] yields it. It is a regular file, or
// there is an error, as there is for a path that no object can have.
func (r *Reader) Open(path string) (*os.File, error) {
	if !Valid(path) {
		return nil, errors.New("no object can have this path")
	}
	names := strings.Split(path, "/")
	last := len(names) - 1
	if err := r.enterFolders(names[:last]); err != nil {
		return nil, Plain(err)
	}
	f, err := openFile(r.innermostFolder(), names[last])
	return f, Plain(err)
}

// innermostFolder is the innermost folder that is open.
func (r *Reader) innermostFolder() *os.Root {
	if n := len(r.open); n > 0 {
		return r.open[n-1]
	}
	return r.root.top
}

// enterFolders opens the folders that lead somewhere.
func (r *Reader) enterFolders(names []string) error {
	common := 0
	for common < len(names) && common < len(r.path) && names[common] == r.path[common] {
		common++
	}
	if err := r.leaveFolders(common); err != nil {
		return err
	}
	for _, name := range names[common:] {
		if len(r.open) == maxDepth {
			return ErrDeep
		}
		inner, err := openFolder(r.innermostFolder(), name)
		if err != nil {
			return err
		}
		r.open, r.path = append(r.open, inner), append(r.path, name)
	}
	return nil
}

// leaveFolders closes all open folders but the outermost.
func (r *Reader) leaveFolders(outermost int) (err error) {
	for len(r.open) > outermost {
		last := len(r.open) - 1
		err = errors.Join(err, r.open[last].Close())
		r.open, r.path = r.open[:last], r.path[:last]
	}
	return err
}

// Valid reports whether an object can have a path: names that are separated by
// slashes, none of them empty, "." or "..", without NUL.
func Valid(path string) bool {
	if path == "" || len(path) > MaxPath || strings.Contains(path, "\x00") {
		return false
	}
	for name := range strings.SplitSeq(path, "/") {
		if name == "" || name == "." || name == ".." {
			return false
		}
	}
	return true
}
