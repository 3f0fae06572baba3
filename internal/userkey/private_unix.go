//go:build unix

package userkey

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// open opens a file without following a link or waiting for a pipe.
func open(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0) // #nosec G304 -- in the state directory
}

// private returns an error if another user may use a file.
func private(path string, info fs.FileInfo) error {
	if s, ok := info.Sys().(*syscall.Stat_t); !ok || int(s.Uid) != os.Geteuid() {
		return fmt.Errorf("%s belongs to another user", path)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s can be used by others: its permissions are %v", path, info.Mode().Perm())
	}
	return nil
}
