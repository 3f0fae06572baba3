package store

import (
	"github.com/svc-edge/svc-verify/internal/sqlite"
)

// transaction contains a writer's additions that are not committed yet.
type transaction struct {
	conn     *sqlite.Conn
	changed  bool         // the evidence, since the case was opened
	onChange func() error // is called in each transaction that changes the evidence
}

// beginChange begins to change the evidence.
func (t *transaction) beginChange() error {
	t.changed = true
	if err := t.begin(); err != nil {
		return err
	}
	return t.onChange()
}

// alter changes rows of the evidence.
func (t *transaction) alter(query string, values ...any) error {
	if err := t.beginChange(); err != nil {
		return err
	}
	return t.conn.Run(query, values...)
}

func (t *transaction) begin() error {
	if !t.conn.Autocommit() {
		return nil
	}
	return t.conn.Exec("BEGIN IMMEDIATE")
}

// Durable makes every later commit wait for the disk, so that it outlasts a crash
// of the machine and not only of the process, and lets others read meanwhile. It is for a
// writer that stays, and whose commits others rely on.
func (t *transaction) Durable() error {
	return t.conn.Exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL")
}

// CommitEvery sets the memory in bytes for additions between two commits.
func (w *Writer) CommitEvery(octets int) { w.full = octets }
