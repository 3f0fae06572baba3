//go:build unix

package access

import (
	"fmt"
	"io/fs"
	"os"
)

// Check returns an error that states the permissions found if others may do more with an
// opened file or directory.
func Check(f *os.File, others Others) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	refused := map[Others]fs.FileMode{Nothing: 0o077, Read: 0o022}[others]
	if info.Mode().Perm()&refused != 0 {
		return fmt.Errorf("the permissions %s", info.Mode().Perm())
	}
	return nil
}
