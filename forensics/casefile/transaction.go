package casefile

import "github.com/svc-edge/svc-verify/internal/sqlite"

// commitRecords is how many records are added between two commits: a tenth of
// a second's work is lost if the process is killed, and the cost of a commit is
// spread thin.
const commitRecords = 1 << 16

// transaction is what a writer added and has not committed.
type transaction struct {
	conn    *sqlite.Conn
	every   int64 // records between two commits
	pending int64 // records that were added since the last one
	changed bool  // the evidence, since the case was opened

	onChange func() error // is called in each transaction that changes the evidence
}

// Commit commits everything that was added so far.
func (t *transaction) Commit() error {
	t.pending = 0
	if t.conn.Autocommit() {
		return nil
	}
	return t.conn.Exec("COMMIT")
}

// CommitEvery sets how many records are added between two commits.
func (t *transaction) CommitEvery(records int64) { t.every = records }

func (t *transaction) commitIfDue() error {
	if t.pending < t.every {
		return nil
	}
	return t.Commit()
}

// change begins to change the evidence.
func (t *transaction) change() error {
	t.changed = true
	if err := t.begin(); err != nil {
		return err
	}
	return t.onChange()
}

func (t *transaction) begin() error {
	if !t.conn.Autocommit() {
		return nil
	}
	return t.conn.Exec("BEGIN IMMEDIATE")
}
