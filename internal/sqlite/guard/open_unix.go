//go:build unix

package guard

import (
	"os"
	"syscall"
)

// openPatiently opens a file for reading without waiting for anyone, as a pipe
// would.
func openPatiently(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // #nosec G304 -- the file that the user names
}
