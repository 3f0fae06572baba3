package listing

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/svc-edge/svc-verify/internal/access"
)

// Stdin names standard input among paths.
const Stdin = "-"

// Found is a file that a user names, or one below a folder that a user names.
type Found struct {
	Path  string // as it was named, with the path below it
	Below string // the path below it, with slashes; the last part of a file that was named
	Named bool   // it was named itself

	// Err is why it is not read; nil for a regular file. It is [ErrLink] for a link below a
	// folder, or to nothing, and an [access.IrregularError] for any other kind.
	Err    error
	Folder bool // it is a folder that cannot be listed

	reader *Reader
}

// Open opens a regular file, before the walk continues. An error does not name it.
func (f *Found) Open() (*os.File, error) {
	if f.Err != nil {
		return nil, f.Err
	}
	if f.reader != nil {
		return f.reader.Open(f.Below)
	}
	file, err := access.OpenRegular(f.Path)
	return file, access.WithoutPath(err)
}

// Walk hands take the file that a path leads to, or the files below the folder, in the order
// of [Root.All]. A link that was named is followed, and none below a folder. An error is one of
// take or of ctx.
func Walk(ctx context.Context, name string, take func(*Found) error) error {
	one := &Found{Path: name, Below: filepath.Base(name), Named: true}
	info, err := os.Stat(name)
	switch {
	case err != nil && isLink(name):
		one.Err = ErrLink
	case err != nil:
		one.Err = access.WithoutPath(err)
	case !info.IsDir() && !info.Mode().IsRegular():
		one.Err = &access.IrregularError{Mode: info.Mode()}
	case info.IsDir():
		if one.Err = walkBelow(ctx, name, take); one.Err == nil {
			return nil
		}
		if fault := new(folderFault); !errors.As(one.Err, &fault) {
			return one.Err
		}
		one.Err, one.Folder = access.WithoutPath(errors.Unwrap(one.Err)), true
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return take(one)
}

// walkBelow hands on the files below a folder. A [folderFault] is one of the folder itself.
func walkBelow(ctx context.Context, name string, take func(*Found) error) error {
	root, err := Open(name)
	if err != nil {
		return &folderFault{err}
	}
	defer func() { _ = root.Close() }() // it was only read
	reader := root.Reader()
	defer func() { _ = reader.Close() }() // as above
	for e, err := range root.All(ctx) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return &folderFault{err}
		}
		at := path.Clean(e.Path)
		f := &Found{Path: filepath.Join(name, filepath.FromSlash(at)), Below: at, Err: e.Err, Folder: e.Folder(),
			reader: reader}
		if err := take(f); err != nil {
			return err
		}
	}
	return nil
}

// Roots are the real paths of the files and folders that were named.
type Roots map[string]bool

// RootsOf returns the roots of paths. A path that leads nowhere has none.
func RootsOf(names []string) Roots {
	roots := make(Roots)
	for _, name := range names {
		if resolved, err := realPath(name); err == nil && name != Stdin {
			roots[resolved] = true
		}
	}
	return roots
}

// Target returns the real path of the file or folder that a link leads to; "" for neither.
func Target(link string) string {
	resolved, err := realPath(link)
	if err != nil {
		return ""
	}
	info, err := os.Lstat(resolved)
	if err != nil || !info.Mode().IsRegular() && !info.IsDir() {
		return ""
	}
	return resolved
}

// Have reports whether a real path is one of them, or below one.
func (r Roots) Have(resolved string) bool {
	for resolved != "" && !r[resolved] {
		up := filepath.Dir(resolved)
		if up == resolved {
			return false
		}
		resolved = up
	}
	return resolved != ""
}

// realPath returns a path without links in it.
func realPath(name string) (string, error) {
	absolute, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(absolute)
}

func isLink(name string) bool {
	info, err := os.Lstat(name)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// Followed returns the target of a path that is a link, and any other path as it is.
func Followed(name string) string {
	if !isLink(name) {
		return name
	}
	if resolved, err := filepath.EvalSymlinks(name); err == nil {
		return resolved
	}
	return name
}
