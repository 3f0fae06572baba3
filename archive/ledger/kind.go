package ledger

import (
	"embed"
	"errors"
	"fmt"

	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/internal/sqlite/guard"
)

//go:embed schema/*.sql
var schemaFiles embed.FS

// The errors of files that cannot be used as a ledger. The file was not changed.
var (
	ErrNotLedger = errors.New("not a ledger of svc-verify")
	ErrForeign   = errors.New("not as svc-verify makes ledgers") // another schema, or settings
	ErrBusy      = errors.New("another process is writing to the ledger")
	ErrMissing   = errors.New("there is no ledger")
)

// kind is how a ledger is told from other files.
var kind = guard.Kind{
	Name:          "ledger",
	ApplicationID: 0x7376634c, // "svcL"
	PageSize:      4 << 10,
	Steps:         guard.Steps(schemaFiles),
	ErrNot:        ErrNotLedger,
	ErrForeign:    ErrForeign,
	ErrBusy:       ErrBusy,
}

// AlteredError reports a ledger under the user's key whose rows were changed by
// something else. Its message is one sentence.
type AlteredError struct {
	Path   string // of the object concerned; "" if it is none
	Detail string // what does not fit
}

func (e *AlteredError) Error() string {
	if e.Path != "" {
		return fmt.Sprintf("the row of %s: %s", safetext.Quote(e.Path), e.Detail)
	}
	return e.Detail
}

func altered(format string, args ...any) error {
	return &AlteredError{Detail: fmt.Sprintf(format, args...)}
}
