package secretstore

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/svc-edge/svc-verify/harness/keyfile"
	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/service/secretstore/record"
)

// file is where the certificates of a slot stand, for the reload program.
func (a *Adapter) file(slot int64) string {
	return filepath.Join(a.config.Settings.ManagedDirectory.Path, record.SlotName(slot)+".pem")
}

// writeFile writes a slot's certificates. The key stays in the store.
func (a *Adapter) writeFile(slot int64, chain [][]byte) error {
	return keyfile.Write(a.file(slot), pki.ChainPEM(chain))
}

// tidyFiles removes the files of slots that the pointer does not name. One that
// cannot be removed does no harm.
func (a *Adapter) tidyFiles() {
	entries, err := os.ReadDir(a.config.Settings.ManagedDirectory.Path)
	if err != nil {
		return
	}
	keep := map[int64]bool{}
	for _, n := range named(a.state.pointer.Pointer) {
		keep[n.Slot] = true
	}
	for _, entry := range entries {
		slot, err := record.ParseSlotName(strings.TrimSuffix(entry.Name(), ".pem"))
		if err == nil && !keep[slot] && entry.Name() == record.SlotName(slot)+".pem" {
			_ = os.Remove(a.file(slot))
		}
	}
}
