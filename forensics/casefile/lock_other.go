//go:build !unix

package casefile

import (
	"os"

	"github.com/gofrs/flock"
)

// release gives a lock up, and removes its file unless somebody else has it open:
// here no open file can be removed.
func release(lock *flock.Flock) error {
	err := lock.Close()
	_ = os.Remove(lock.Path())
	return err
}
