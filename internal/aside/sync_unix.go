//go:build unix

package aside

import (
	"errors"

	"github.com/svc-edge/svc-verify/internal/access"
)

// SyncFolder brings the names in a folder to the disk.
func SyncFolder(dir string) error {
	d, err := access.OpenFolder(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
