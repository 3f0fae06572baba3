package casefile

import (
	"errors"
	"io/fs"
	"os"

	"github.com/gofrs/flock"
)

// isCurrent reports whether the file that is locked is still the one that
// others find under its name.
func isCurrent(lock *flock.Flock) (bool, error) {
	locked, err := lock.Stat()
	if err != nil {
		return false, err
	}
	named, err := os.Lstat(lock.Path())
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(locked, named), err
}
