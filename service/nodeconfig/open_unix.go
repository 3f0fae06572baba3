//go:build unix

package nodeconfig

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// openAny opens a file, or what a symbolic link leads to, for reading. A pipe
// does not hold us up.
func openAny(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // #nosec G304 -- the operator names it
}

// openItself opens a file for reading, and fails on a symbolic link.
func openItself(path string) (*os.File, error) {
	// #nosec G304 -- the operator names it
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
}

// isLink reports whether openItself failed on a symbolic link, or on a path that
// has too many of them.
func isLink(err error) bool { return errors.Is(err, syscall.ELOOP) }

// mayRun reports whether someone may execute a file.
func mayRun(info fs.FileInfo) bool { return info.Mode().Perm()&0o111 != 0 }
