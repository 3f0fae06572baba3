// Package guard decides whether a file may be opened as one of those that
// svc-verify keeps in SQLite: a case, or the ledger of an archive.
//
// Such a file can come from anyone, and SQLite runs the statements in a schema: a view can
// take the place of a table, a trigger can undo a write. So everything that SQLite would act
// on must match the result of our own migrations. The content of the rows is for the caller to
// check.
package guard

import (
	"fmt"
	"io/fs"
	"sync"

	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// Kind is a kind of file. It must not be copied once it is in use.
type Kind struct {
	Name          string // of the kind, as in "the case"
	ApplicationID uint32 // marks it among SQLite files
	PageSize      int
	Earlier       int      // the highest version of a schema that an earlier program made in another way
	Steps         []string // Migrations: the first n make version Earlier + n of the schema
	Late          []Late

	ErrNot     error // a file that is not of this kind; it was not changed
	ErrForeign error // a file that is marked as one, and was not made by svc-verify
	ErrBusy    error // another process is writing to it
	ErrEarlier error // it has such an earlier version

	mu   sync.Mutex
	made map[int][]sqlite.Object // by versions of the schema
}

// Late is an object that is made after the file, and can be missing.
type Late struct{ Name, SQL string }

// Steps reads migrations from files, in ascending order of their names. A step
// that was released is never changed.
func Steps(files fs.FS) []string {
	names, err := fs.Glob(files, "schema/*.sql")
	if err != nil {
		panic(err)
	}
	var steps []string
	for _, name := range names {
		step, err := fs.ReadFile(files, name)
		if err != nil {
			panic(err)
		}
		steps = append(steps, string(step))
	}
	return steps
}

func (k *Kind) isForeign(format string, args ...any) error {
	return fmt.Errorf("%w: %w", k.ErrForeign, fmt.Errorf(format, args...))
}
