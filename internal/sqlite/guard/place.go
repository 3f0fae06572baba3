package guard

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/safetext"
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

// Copy copies a file to a new one that only its owner may use.
func Copy(from, to string) error {
	in, err := access.OpenRegular(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := access.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
