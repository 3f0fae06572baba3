//go:build unix

package access

import (
	"errors"
)

// SyncFolder brings the names in a folder to the disk.
func SyncFolder(dir string) error {
	d, err := OpenFolder(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
