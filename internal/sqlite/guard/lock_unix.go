//go:build unix

package guard

import "os"

// Release gives a lock up. Its file is removed first, as it is another process's
// once the lock is free. A file that cannot be removed stays, and does no harm.
func (l *Lock) Release() error {
	_ = os.Remove(l.flock.Path())
	return l.flock.Close()
}
