//go:build unix

package userkey

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// checkPrivate returns an error if another user may use a file.
func checkPrivate(path string, info fs.FileInfo) error {
	if s, ok := info.Sys().(*syscall.Stat_t); !ok || int(s.Uid) != os.Geteuid() {
		return fmt.Errorf("%s belongs to another user", path)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s can be used by others: its permissions are %v", path, info.Mode().Perm())
	}
	return nil
}
