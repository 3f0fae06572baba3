//go:build !unix

package listing

import (
	"errors"
	"io/fs"
	"os"
)

// folder is an open folder. A name in it is checked before and after it is opened: a file that
// was replaced in between is refused.
type folder struct {
	root *os.Root
	f    *os.File // its names
}

func openTop(dir string) (folder, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return folder{}, err
	}
	return folder{root: root}.reopenFolder()
}

func (d folder) closeFolder() error {
	if d.f == nil {
		return d.root.Close()
	}
	return errors.Join(d.f.Close(), d.root.Close())
}

// reopenFolder returns the same folder, to be listed from its beginning.
func (d folder) reopenFolder() (folder, error) {
	root, err := d.root.OpenRoot(".")
	if err != nil {
		return folder{}, err
	}
	f, err := root.Open(".")
	if err != nil {
		return folder{}, errors.Join(err, root.Close())
	}
	return folder{root, f}, nil
}

// readNames returns some of the names in the folder, and io.EOF after the last.
func (d folder) readNames(most int) ([]string, error) { return d.f.Readdirnames(most) }

// factsOf returns the facts about a name. No link is followed.
func (d folder) factsOf(name string) (f facts, err error) {
	info, err := d.root.Lstat(name)
	if err != nil {
		return f, err
	}
	return facts{size: info.Size(), modified: info.ModTime().UnixNano(), mode: info.Mode().Type()}, nil
}

// openFolder opens a folder in the folder. No link is followed.
func (d folder) openFolder(name string) (folder, error) {
	before, err := d.root.Lstat(name)
	if err != nil {
		return folder{}, err
	}
	if before.Mode()&fs.ModeSymlink != 0 || !before.IsDir() {
		return folder{}, ErrLink
	}
	root, err := d.root.OpenRoot(name)
	if err != nil {
		return folder{}, err
	}
	after, err := root.Stat(".")
	if err == nil && !os.SameFile(before, after) {
		err = ErrChanged
	}
	if err != nil {
		return folder{}, errors.Join(err, root.Close())
	}
	opened, err := folder{root: root}.reopenFolder()
	return opened, errors.Join(err, root.Close())
}

// openFile opens a regular file in the folder. No link is followed.
func (d folder) openFile(name string) (*os.File, error) {
	before, err := d.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if err := kindFault(before.Mode()); err != nil {
		return nil, err
	}
	f, err := d.root.Open(name)
	if err != nil {
		return nil, err
	}
	after, err := f.Stat()
	if err == nil && !os.SameFile(before, after) {
		err = ErrChanged
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
