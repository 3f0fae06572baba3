package access

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// temporary is how the names of files begin that are not whole.
const temporary = ".svc-verify-temporary-"

// AsideFile is a file that is being written. Its errors name it as its user did.
type AsideFile struct {
	name    string // as it was given
	file    *os.File
	content *bufio.Writer
	aside   bool        // the file is to be renamed to the path
	mode    fs.FileMode // once it is whole
	closed  bool
}

// OpenAside begins a file. An old one stays as it is until Commit, and another name that it
// has stays with it. Nothing is written through a link, which leads elsewhere, or to a
// pipe, whose reader may never come. A device such as /dev/null is written directly, as
// it cannot be replaced.
func OpenAside(name string) (*AsideFile, error) {
	f := &AsideFile{name: name}
	if err := f.openFile(); err != nil {
		f.Discard()
		return nil, f.nameFault(err)
	}
	f.content = bufio.NewWriterSize(f.file, 1<<16)
	return f, nil
}

func (f *AsideFile) openFile() error {
	old, info, err := OpenToWrite(f.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f.createFile()
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		f.file = old
		return nil
	}
	f.mode = info.Mode().Perm() // and it is writable itself
	if err := old.Close(); err != nil {
		return err
	}
	return f.createFile()
}

// createFile makes the temporary file. Only its owner can read it until it is whole;
// then it has the mode of the file that it replaces, or of any new file.
func (f *AsideFile) createFile() (err error) {
	f.file, err = os.CreateTemp(filepath.Dir(f.name), temporary+"*")
	if err != nil {
		return err
	}
	f.aside = true
	if f.mode == 0 {
		f.mode, err = usualMode(f.file.Name() + "m")
	}
	return err
}

// usualMode is the mode of a new file, which it makes and removes: the process's
// mask cannot be read without changing it.
func usualMode(name string) (fs.FileMode, error) {
	probe, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666) // #nosec G302 G304 -- less the mask
	if err != nil {
		return 0, err
	}
	defer os.Remove(name)
	defer probe.Close()
	info, err := probe.Stat()
	if err != nil {
		return 0, err
	}
	return info.Mode().Perm(), nil
}

// nameFault names the file in an error, and no other.
func (f *AsideFile) nameFault(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return fmt.Errorf("writing %s: %w", safetext.Quote(f.name), err)
}

// Name returns the name of the file, as its user gave it.
func (f *AsideFile) Name() string { return f.name }

// Writable checks that files can be written, and leaves them as they are.
func Writable(names ...string) error {
	for _, name := range names {
		f, err := OpenAside(name)
		if err != nil {
			return err
		}
		f.Discard()
	}
	return nil
}

// Is reports whether a file is this one, or its temporary file.
func (f *AsideFile) Is(info fs.FileInfo) bool {
	for _, name := range []string{f.name, f.file.Name()} {
		if own, err := os.Stat(name); err == nil && os.SameFile(own, info) {
			return true
		}
	}
	return false
}

// Write adds to the file.
func (f *AsideFile) Write(p []byte) (int, error) {
	n, err := f.content.Write(p)
	if err != nil {
		err = f.nameFault(err)
	}
	return n, err
}

// Finish brings all of the content to the disk. After it the file can only be put
// into its place or discarded.
func (f *AsideFile) Finish() error {
	if f.closed {
		return nil
	}
	f.closed = true
	err := f.content.Flush()
	if f.aside && err == nil {
		err = errors.Join(f.file.Chmod(f.mode), f.file.Sync())
	}
	if err = errors.Join(err, f.file.Close()); err != nil {
		return f.nameFault(err)
	}
	return nil
}

// Commit finishes the file and puts it into its place. After an error the old
// file is as it was.
func (f *AsideFile) Commit() error {
	if err := f.Finish(); err != nil || !f.aside {
		return err
	}
	if err := os.Rename(f.file.Name(), f.name); err != nil { // #nosec G703 -- the user named it
		return f.nameFault(err)
	}
	f.aside = false
	return nil
}

// Discard closes the file, and removes it if it is a temporary one. It does nothing after
// Commit, and with no file.
func (f *AsideFile) Discard() {
	if f == nil || f.file == nil {
		return
	}
	if !f.closed {
		f.closed = true
		_ = f.file.Close()
	}
	if f.aside {
		_ = os.Remove(f.file.Name()) // #nosec G703 -- it was made here
		f.aside = false
	}
}
