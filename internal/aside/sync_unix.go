//go:build unix

package aside

import (
	"errors"
	"os"
)

// SyncFolder brings the names in a folder to the disk.
func SyncFolder(dir string) error {
	d, err := os.Open(dir) // #nosec G304 -- where the caller just made a file
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
