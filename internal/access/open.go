package access

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// MostHoles bounds the bytes of a file that were never written and take no room on
// the disk. A file with more of them costs its maker nothing and its reader hours.
const MostHoles = 1 << 30

// An IrregularError reports a file that is not read because of its kind.
type IrregularError struct{ Mode fs.FileMode }

// Error returns the expected and the found kind of file.
func (e *IrregularError) Error() string {
	text := "expected a regular file, found " + KindOf(e.Mode)
	if e.IsPipe() {
		text += ": write what comes through it to a file first"
	}
	return text
}

// IsPipe reports whether the file is a pipe, such as a shell gives for <(command).
func (e *IrregularError) IsPipe() bool { return e.Mode&fs.ModeNamedPipe != 0 }

// KindOf names the kind of a file that is not regular.
func KindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "a special file"
}

// ErrHoles reports a file that has more than [MostHoles].
var ErrHoles = errors.New("more than 1 GiB of the file was never written (a sparse file), and is not read: " +
	"if it is meant to be so, copy it with cp --sparse=never")

// OpenRegular opens a regular file for reading, also behind a link. Nothing else is
// opened: a pipe or a device can keep its reader waiting, or act. An error is a
// [fs.PathError].
func OpenRegular(path string) (*os.File, error) { return openFile(path, os.Stat, Patient) }

// OpenUnlinked is OpenRegular for a path that someone else chose: it does not follow a
// link at the end of the path.
func OpenUnlinked(path string) (*os.File, error) { return openFile(path, os.Lstat, Patient|unlinked) }

// OpenFolder opens a folder, and nothing else, to list or to sync it.
func OpenFolder(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|Patient|onlyFolder, 0) // #nosec G304 -- the user names it
}

// openFile looks at a file before it opens it, as opening a pipe is seen at its other end,
// and again after that, as another file can have taken its place.
func openFile(path string, look func(string) (fs.FileInfo, error), flags int) (*os.File, error) {
	info, err := look(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: &IrregularError{info.Mode()}}
	}
	f, err := os.OpenFile(path, os.O_RDONLY|flags, 0) // #nosec G304 -- the user names it
	if err != nil {
		return nil, err
	}
	if err := Regular(f); err != nil {
		return nil, errors.Join(&fs.PathError{Op: "open", Path: path, Err: err}, f.Close())
	}
	return f, nil
}

// OpenToWrite opens a file that is there for writing, and leaves its content as it is. It
// is a regular file or a character device, such as a terminal: a link would lead
// elsewhere, and a pipe waits for its reader.
func OpenToWrite(path string) (*os.File, fs.FileInfo, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, nil, err
	}
	f, err := (*os.File)(nil), checkWritable(info)
	if err == nil {
		f, err = os.OpenFile(path, os.O_WRONLY|Patient|unlinked, 0) // #nosec G304 -- the user names it
	}
	if err != nil {
		return nil, nil, err
	}
	if info, err = f.Stat(); err == nil {
		err = checkWritable(info)
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, info, nil
}

// checkWritable returns an error if a file is none that is written to.
func checkWritable(info fs.FileInfo) error {
	switch mode := info.Mode(); {
	case mode.IsRegular(), mode&fs.ModeCharDevice != 0:
		return nil
	case mode.IsDir():
		return errors.New("it is a folder")
	case mode&fs.ModeSymlink != 0:
		return errors.New("it is a symbolic link: name the file itself")
	default:
		return fmt.Errorf("it is %s: name a regular file", KindOf(mode))
	}
}

// Regular returns an error unless an open file is a regular one that is worth reading:
// see [ErrHoles].
func Regular(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return &IrregularError{info.Mode()}
	}
	return CheckHoles(f, info)
}

// errShared is the error of SoleName for a file with more names.
func errShared(names uint64) error {
	return fmt.Errorf("it is one file with another (it has %d hard links): to write to it would change the other", names)
}

// SoleName returns an error unless the path is a regular file that has no other name, so that
// writing to it changes nothing else. It returns [fs.ErrNotExist] if there is nothing.
func SoleName(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return &IrregularError{info.Mode()}
	}
	return soleName(path, info)
}
