//go:build !unix

package guard

import "os"

// Release gives a lock up, and removes its file unless another process has it open: here no
// open file can be removed.
func (l *Lock) Release() error {
	err := l.flock.Close()
	_ = os.Remove(l.flock.Path())
	return err
}
