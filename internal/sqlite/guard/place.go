package guard

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// PlaceToWrite returns where a file is that is to be written to or made, without links on the
// way to it. A file that exists must be of this kind and no link. Neither it nor a file next
// to it may have another name, under which it would be changed too.
func (k *Kind) PlaceToWrite(given string) (string, error) {
	path, err := Resolve(given)
	if err != nil {
		return "", err
	}
	_, err = os.Lstat(path)
	absent := err != nil
	if _, err := os.Readlink(given); err == nil {
		to := "a symbolic link"
		if absent {
			to = "a link to nothing"
		}
		return "", fmt.Errorf("%s: %s: name the file itself", safetext.Quote(given), to)
	}
	if absent {
		return path, k.Companions(path)
	}
	return path, k.Writable(path)
}

// Writable identifies a file, and returns an error if it has another name.
func (k *Kind) Writable(path string) error {
	if err := k.Identify(path); err != nil {
		return err
	}
	if err := access.SoleName(path); err != nil {
		return fmt.Errorf("%s: %w; copy it, and use the copy", safetext.Quote(path), access.WithoutPath(err))
	}
	return nil
}

// Resolve returns the path of a file without links. Its directory must exist.
func Resolve(file string) (string, error) {
	file, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	at, err := filepath.EvalSymlinks(file)
	if !errors.Is(err, fs.ErrNotExist) {
		return at, err
	}
	if target, err := os.Readlink(file); err == nil { // a link to a file that does not exist yet
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(file), target)
		}
		file = target
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(file))
	if err != nil {
		return "", fmt.Errorf("%s: %w", safetext.Quote(file), access.WithoutPath(err))
	}
	return filepath.Join(dir, filepath.Base(file)), nil
}

// Undo undoes the changes of a program that ended while it wrote to a file.
func (k *Kind) Undo(path string) error {
	lock, err := k.Lock(path)
	if err != nil {
		return err
	}
	c, err := sqlite.Open(path, sqlite.ReadWrite)
	if err == nil {
		err = c.Close() // the engine undid them when it read the file first
	}
	return errors.Join(err, lock.Release())
}
