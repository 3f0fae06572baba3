package store

import (
	"embed"
	"errors"
	"io"

	"github.com/svc-edge/svc-verify/internal/sqlite/guard"
)

//go:embed schema/*.sql
var schemaFiles embed.FS

var (
	// ErrNotCase reports a file that is not a case. The file was not changed.
	ErrNotCase = errors.New("not a case of svc-verify")

	// ErrForeign reports a file that is marked as a case but was not made by svc-verify.
	ErrForeign = errors.New("not as svc-verify makes cases")

	// ErrBusy reports that another process is writing to the case.
	ErrBusy = errors.New("another process is writing to the case")

	// ErrEarlier reports a case of an earlier version of svc-verify. The file was not changed.
	ErrEarlier = errors.New("an earlier version of svc-verify made it, in a form that is no longer read: " +
		"ingest the sources into a new case")
)

// kind is how a case is recognised among other files.
var kind = guard.Kind{
	Name:          "case",
	ApplicationID: 0x73766356, // "svcV"
	PageSize:      16 << 10,
	Earlier:       5,
	Steps:         guard.Steps(schemaFiles),
	Late:          append(custodyTable, eventsIndex...),
	ErrNot:        ErrNotCase,
	ErrForeign:    ErrForeign,
	ErrBusy:       ErrBusy,
	ErrEarlier:    ErrEarlier,
}

// IsCase reports whether a file begins as a case does. Whether it is one that may be
// opened is not looked at.
func IsCase(f io.ReaderAt) (bool, error) { return kind.Is(f) }
