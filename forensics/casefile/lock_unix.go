//go:build unix

package casefile

import (
	"os"

	"github.com/gofrs/flock"
)

// release gives a lock up. Its file is removed first, as it is another process's
// once the lock is free. A file that cannot be removed stays, and does no harm.
func release(lock *flock.Flock) error {
	_ = os.Remove(lock.Path())
	return lock.Close()
}
