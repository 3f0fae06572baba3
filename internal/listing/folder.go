package listing

import (
	"errors"
	"io/fs"
	"os"

	"github.com/svc-edge/svc-verify/internal/access"
)

// openFolder opens a folder in a folder. No link is followed: a name is looked at before and after
// it is opened, and what took its place in between is refused.
func openFolder(in *os.Root, name string) (*os.Root, error) {
	before, err := in.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case before.Mode()&fs.ModeSymlink != 0:
		return nil, ErrLink
	case !before.IsDir():
		return nil, ErrChanged
	}
	inner, err := in.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	after, err := inner.Stat(".")
	if err == nil && !os.SameFile(before, after) {
		err = ErrChanged
	}
	if err != nil {
		return nil, errors.Join(err, inner.Close())
	}
	return inner, nil
}

// openFile opens a regular file in a folder, in the same way. A pipe does not hold us up.
func openFile(in *os.Root, name string) (*os.File, error) {
	before, err := in.Lstat(name)
	if err == nil {
		err = kindFault(before.Mode())
	}
	if err != nil {
		return nil, err
	}
	f, err := in.OpenFile(name, os.O_RDONLY|access.Patient, 0)
	if err != nil {
		return nil, err
	}
	after, err := f.Stat()
	if err == nil && !os.SameFile(before, after) {
		err = ErrChanged
	}
	if err == nil {
		err = access.CheckHoles(f, after)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
