package guard

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/gofrs/flock"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// LockSuffix is appended to a file's path to name its lock file. The lock is
// no part of the file. It is removed when it is given up; one that a killed
// process left behind is taken by the next writer.
const LockSuffix = ".lock"

// mostLocks is how often a lock is taken that is removed at the same moment.
const mostLocks = 100

// Lock excludes other writers of a file.
type Lock struct{ flock *flock.Flock }

// Lock acquires the lock of a file. The error is ErrBusy if another process has it.
func (k *Kind) Lock(path string) (*Lock, error) {
	for range mostLocks {
		if err := ownFile(path + LockSuffix); err != nil {
			return nil, fmt.Errorf("lock the %s: %w", k.Name, err)
		}
		lock := flock.New(path + LockSuffix)
		held, err := lock.TryLock()
		if err != nil {
			return nil, fmt.Errorf("lock the %s: %w", k.Name, err)
		}
		if !held {
			break
		}
		current, err := isCurrent(lock)
		if current {
			return &Lock{lock}, nil
		}
		// Its last holder removed the file between our opening and our locking it. The next
		// writer makes another, so that this lock excludes no one.
		if err := errors.Join(err, lock.Close()); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%s: %w", safetext.Quote(path), k.ErrBusy)
}

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
