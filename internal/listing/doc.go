// Package listing lists files, and opens them: those that a user names on a command line with
// [Walk], and the objects of an archive with [Open].
//
// An object is a regular file below a folder. Its path is relative to that folder, with
// slashes, and can have any bytes but NUL. No link is followed below the folder, at any level,
// neither while listing nor while opening: anything else in the place of a file or of a folder
// on the way is an error of that object alone.
//
// Nothing is ever written below the folder, so that a read-only one will do.
package listing

import (
	"errors"
	"io/fs"
	"os"

	"github.com/svc-edge/svc-verify/internal/access"
)

// Entry is one object, or something that should be one and cannot be read.
type Entry struct {
	Path     string // ends in a slash for a folder that could not be listed
	Size     int64
	Modified int64 // nanoseconds since 1970
	Err      error // why it cannot be read; nil for a regular file
}

// Folder reports whether the entry is a folder that could not be listed: its content is
// unknown.
func (e *Entry) Folder() bool { return e.Path != "" && e.Path[len(e.Path)-1] == '/' }

// The bounds of a list. Anything beyond them is an entry with an error.
const (
	// MaxPath is the length of a path in bytes, as most systems have it.
	MaxPath = 4096
	// maxDepth is how many folders are inside each other. Each needs an open file.
	maxDepth = 200
	// mostNames is how many bytes the names of one folder have together.
	mostNames = 1 << 30
)

// The faults of an entry.
var (
	ErrLink    = errors.New("a symbolic link, which is not followed")
	ErrKind    = errors.New("it is no regular file")
	ErrChanged = errors.New("it was changed while it was read")
	ErrDeep    = errors.New("it is too deep: more folders inside each other than are listed")
	ErrMany    = errors.New("it has too many names")
	ErrLong    = errors.New("its path is too long")
	ErrGone    = errors.New("it was there when the folder was listed, and is gone")
)

// Root is the folder that an archive is. It must come from [Open].
type Root struct {
	top *os.Root
}

// Open opens the folder of an archive. The folder itself can be given by a link. An
// error does not name it.
func Open(dir string) (*Root, error) {
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = errors.New("it is no folder")
	}
	var top *os.Root
	if err == nil {
		top, err = os.OpenRoot(dir)
	}
	if err != nil {
		return nil, access.WithoutPath(err)
	}
	return &Root{top}, nil
}

// Close closes the folder.
func (r *Root) Close() error { return r.top.Close() }

// kindFault returns why an entry with this mode cannot be read; nil for a regular file.
func kindFault(mode fs.FileMode) error {
	switch {
	case mode.IsRegular():
		return nil
	case mode&fs.ModeSymlink != 0:
		return ErrLink
	}
	return &kindError{access.IrregularError{Mode: mode}}
}

// kindError is [ErrKind] with the kind that was found.
type kindError struct{ irregular access.IrregularError }

func (k *kindError) Error() string { return k.irregular.Error() }

func (k *kindError) Is(err error) bool { return err == ErrKind }

func (k *kindError) Unwrap() error { return &k.irregular }

// Plain removes the name from an error, as the entry has it. A file that is gone is [ErrGone].
func Plain(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return ErrGone
	}
	return access.WithoutPath(err)
}
