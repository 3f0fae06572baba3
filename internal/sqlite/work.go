package sqlite

import (
	"sync/atomic"

	lib "modernc.org/sqlite/lib"
)

// steps counts the steps of the engine in statements that were closed.
var steps atomic.Int64

// Work returns how many steps the engine has taken in this process, in statements
// that were closed. Compare two inputs, one twice as large, to see whether the work
// of a command grows faster than its input.
func Work() int64 { return steps.Load() }

// countWork counts the steps of a statement that is about to be closed.
func (s *Stmt) countWork() {
	const keep = 0
	steps.Add(int64(lib.Xsqlite3_stmt_status(s.c.tls, s.p, lib.SQLITE_STMTSTATUS_VM_STEP, keep)))
}

// reads counts the rows and pages that were read or written.
var reads atomic.Int64

// Reads returns how many rows and pages this process has read and written. It shows
// that a long command is working.
func Reads() int64 { return reads.Load() }
