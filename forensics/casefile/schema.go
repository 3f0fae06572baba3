package casefile

import (
	"embed"
	"errors"
	"fmt"
	"io"

	"github.com/svc-edge/svc-verify/internal/sqlite/guard"
)

//go:embed schema/*.sql
var schemaFiles embed.FS

// ErrNotCase reports a file that is not a case. The file was not changed.
var ErrNotCase = errors.New("not a case of svc-verify")

// ErrForeign reports a file that is marked as a case but was not made by
// svc-verify.
var ErrForeign = errors.New("not as svc-verify makes cases")

// ErrBusy reports that another process is writing to the case.
var ErrBusy = errors.New("another process is writing to the case")

// kind is how a case is told from other files.
var kind = guard.Kind{
	Name:          "case",
	ApplicationID: 0x73766356, // "svcV"
	PageSize:      pageSize,
	Steps:         guard.Steps(schemaFiles),
	Late:          []guard.Late{{Name: "events_by_transaction", SQL: transactionIndex}},
	ErrNot:        ErrNotCase,
	ErrForeign:    ErrForeign,
	ErrBusy:       ErrBusy,
}

// pageSize: rows of events are 300 bytes, blocks 100 KB. Measured: a third
// less time for each row than with 4 KiB.
const pageSize = 16 << 10

// transactionIndex is made once the first ingest is done.
const transactionIndex = "CREATE INDEX IF NOT EXISTS events_by_transaction" +
	" ON events (transaction_id) WHERE transaction_id IS NOT NULL"

// IsCase reports whether a file begins as a case does. Whether it is one that may be
// opened is not looked at.
func IsCase(f io.ReaderAt) (bool, error) { return kind.Is(f) }

// readable says what to do about a case that has an older version of the schema
// than the one that this program reads.
func readable(version int) error {
	own := len(kind.Steps)
	if version == own {
		return nil
	}
	return fmt.Errorf("it has schema version %d, which is older than version %d that is read here: "+
		"svc-verify ingest CASE PATH brings it up to date, also with evidence that it has already", version, own)
}
