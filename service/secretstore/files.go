package secretstore

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/service/secretstore/record"
)

// file is where the certificates of a slot stand, for the reload program.
func (l *location) file(slot int64) string {
	return filepath.Join(l.config.Settings.ManagedDirectory.Path, record.SlotName(slot)+".pem")
}

// writeFile writes a slot's certificates. The key stays in the store.
func (l *location) writeFile(slot int64, chain [][]byte) error {
	return pki.WriteSecret(l.file(slot), pki.ChainPEM(chain))
}

// tidyFiles removes the files of slots that the pointer does not name. One that
// cannot be removed does no harm.
func (l *location) tidyFiles() {
	entries, err := os.ReadDir(l.config.Settings.ManagedDirectory.Path)
	if err != nil {
		return
	}
	keep := map[int64]bool{}
	for _, n := range named(l.state.Pointer.Record) {
		keep[n.Slot] = true
	}
	for _, entry := range entries {
		slot, err := record.ParseSlotName(strings.TrimSuffix(entry.Name(), ".pem"))
		if err == nil && !keep[slot] && entry.Name() == record.SlotName(slot)+".pem" {
			_ = os.Remove(l.file(slot))
		}
	}
}
