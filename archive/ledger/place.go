package ledger

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/internal/sqlite/guard"
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
	at, err := guard.Resolve(file)
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
