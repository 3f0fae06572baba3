package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// output is a file that a command writes as its last step. It is opened as the
// first one, so that nothing is issued or changed for a file that cannot be
// written. What stood there before stays until the new content is whole.
type output struct {
	path string
	file *os.File
	next bool        // the file is to be renamed to the path
	mode fs.FileMode // of a new file
}

// openOutput opens the file for a path, which may name a pipe or a device.
func openOutput(path string) (*output, error) {
	o := &output{path: path, mode: 0o644} // a proof is there to be handed on
	if err := o.open(); err != nil {
		return nil, fmt.Errorf("%s cannot be written: %w", safetext.Quote(path), plain(err))
	}
	return o, nil
}

func (o *output) open() (err error) {
	info, err := os.Stat(o.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	default:
		// It must be writable itself, and the file behind a link is what is replaced.
		if o.file, err = os.OpenFile(o.path, os.O_WRONLY, 0); err != nil || !info.Mode().IsRegular() {
			return err
		}
		if err = o.file.Close(); err != nil {
			return err
		}
		o.mode = info.Mode().Perm()
		if o.path, err = filepath.EvalSymlinks(o.path); err != nil {
			return err
		}
	}
	o.next = true
	o.file, err = os.CreateTemp(filepath.Dir(o.path), ".new-*")
	return err
}

// writable checks that files can be written, and leaves them as they are.
func writable(paths ...string) error {
	for _, path := range paths {
		o, err := openOutput(path)
		if err != nil {
			return err
		}
		o.discard()
	}
	return nil
}

// plain is an error without the name of an unrelated file.
func plain(err error) error {
	var fault *fs.PathError
	if errors.As(err, &fault) {
		return fault.Err
	}
	return err
}

// write puts the content into its place and closes the output.
func (o *output) write(content []byte) error {
	_, err := o.file.Write(content)
	if o.next {
		err = errors.Join(err, o.file.Chmod(o.mode))
	}
	if err = errors.Join(err, o.file.Close()); err != nil || !o.next {
		return err
	}
	return os.Rename(o.file.Name(), o.path)
}

// discard closes an output, if there is one, and removes what was not put into
// its place.
func (o *output) discard() {
	if o == nil {
		return
	}
	_ = o.file.Close() // an error would say that it is closed
	if o.next {
		_ = os.Remove(o.file.Name()) // it is gone if it was put into its place
	}
}
