package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// ErrInside reports a file that is to be written inside the archive.
var ErrInside = errors.New("it is inside the archive")

// Outside returns an error if a file, which need not exist, is inside a directory. It
// compares directories and not their names, so that no link hides where the file is.
// A directory that is mounted in two places has two ways up: compare the files that
// are listed too, with [Writer.Owns].
func Outside(dir, file string) error {
	root, err := os.Stat(dir)
	if err != nil {
		return err
	}
	at, err := resolve(file)
	if err != nil {
		return err
	}
	for parent := filepath.Dir(at); ; parent = filepath.Dir(parent) {
		info, err := os.Stat(parent)
		if err != nil {
			return err
		}
		if os.SameFile(info, root) {
			return fmt.Errorf("%s: %w %s", safetext.Quote(file), ErrInside, safetext.Quote(dir))
		}
		if parent == filepath.Dir(parent) {
			return nil
		}
	}
}

// resolve returns the path of a file without links. Its directory must exist.
func resolve(file string) (string, error) {
	file, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	at, err := filepath.EvalSymlinks(file)
	if !errors.Is(err, fs.ErrNotExist) {
		return at, err
	}
	if target, err := os.Readlink(file); err == nil { // a link to what is not there yet
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(file), target)
		}
		file = target
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(file))
	return filepath.Join(dir, filepath.Base(file)), err
}
