package store

import (
	"embed"
	"errors"

	"github.com/svc-edge/svc-verify/internal/sqlite/guard"
)

//go:embed schema/*.sql
var schemaFiles embed.FS

var (
	// ErrNotStore reports a file that is not a store. The file was not changed.
	ErrNotStore = errors.New("not a store of svc-verify")

	// ErrForeign reports a file that is marked as a store but was not made by svc-verify.
	ErrForeign = errors.New("not as svc-verify makes stores")

	// ErrBusy reports that another process is writing to the store.
	ErrBusy = errors.New("another process is writing to the store")
)

// kind is how a store is told from other files.
var kind = guard.Kind{
	Name:          "store",
	ApplicationID: 0x73766353, // "svcS"
	PageSize:      16 << 10,
	Steps:         guard.Steps(schemaFiles),
	ErrNot:        ErrNotStore,
	ErrForeign:    ErrForeign,
	ErrBusy:       ErrBusy,
}
