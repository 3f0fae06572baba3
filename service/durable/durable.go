// Package durable stores the state of a node or a cloud on disk. It has documents
// by kind and id, and one audit log.
//
// Everything is in state.db, a SQLite file in the state directory. An update is one
// transaction, and is on disk when Update returns. The log is also written as canonical lines
// to a file next to it (SPEC 4.5), after the commit, and completed when the store is opened
// again. That file is evidence for others and never read back.
//
// One process at a time may hold a store.
package durable

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"sync"

	"github.com/gofrs/flock"
	_ "modernc.org/sqlite" // the driver

	"github.com/svc-edge/svc-verify/harness/seal"
)

// ErrBusy is returned by Open if another process holds the store.
var ErrBusy = errors.New("another process holds the state directory")

// Store is an open state directory. It is safe for use by many goroutines.
type Store struct {
	db   *sql.DB
	lock *flock.Flock
	log  *os.File // the log as canonical lines

	mu     sync.Mutex // one update at a time
	broken error      // after a failure that leaves the log file in doubt
}

// schema of state.db.
const schema = `
CREATE TABLE IF NOT EXISTS document (
	kind TEXT NOT NULL,
	id   TEXT NOT NULL,
	body BLOB NOT NULL, -- canonical JSON
	PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS event (
	sequence INTEGER PRIMARY KEY,
	line     BLOB NOT NULL -- canonical JSON, without line feed
) STRICT;`

// Open opens the store of a directory, which must be there and be the owner's
// alone, or makes a new one. The log's file is called <logName>.ndjson.
func Open(dir, logName string) (*Store, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() || info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s: expected a directory without permissions for group and others, found %s", dir,
			info.Mode())
	}
	lock := flock.New(filepath.Join(dir, "lock"))
	if held, err := lock.TryLock(); err != nil || !held {
		return nil, errors.Join(err, fmt.Errorf("%s: %w", dir, ErrBusy))
	}
	s := &Store{lock: lock}
	if err := s.open(dir, logName); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Store) open(dir, logName string) error {
	path, err := filepath.Abs(filepath.Join(dir, "state.db"))
	if err != nil {
		return err
	}
	// The file is made here, so that no one else can read it.
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	source := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(),
		RawQuery: "_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=busy_timeout(5000)&_txlock=immediate"}
	if s.db, err = sql.Open("sqlite", source.String()); err != nil {
		return err
	}
	if _, err := s.db.Exec(schema); err != nil {
		return err
	}
	if s.log, err = os.OpenFile(filepath.Join(dir, logName+".ndjson"), os.O_CREATE|os.O_RDWR, 0o600); err != nil {
		return err
	}
	return s.complete()
}

// Close ends the use of the store.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	if s.db != nil {
		err = s.db.Close()
	}
	if s.log != nil {
		err = errors.Join(err, s.log.Close())
	}
	s.broken = errors.New("the store is closed")
	return errors.Join(err, s.lock.Unlock())
}

// Update runs f, and makes everything durable that f did with the Tx, or, if f
// or the disk fails, nothing of it. The error of f is returned as it is.
func (s *Store) Update(f func(*Tx) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return s.broken
	}
	tx, err := s.db.Begin()
	if err != nil {
		return err
	}
	t := &Tx{tx: tx}
	if err := f(t); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	if _, err := s.log.Write(t.lines); err != nil {
		// The decision is committed; the file is completed at the next start.
		s.broken = fmt.Errorf("the log's file: %w", err)
	}
	return nil
}

// Tx provides the operations of an update.
type Tx struct {
	tx    *sql.Tx
	lines []byte // of the log
}

// Put keeps a document, in place of one with the same kind and id.
func (t *Tx) Put(kind, id string, document seal.Object) error {
	_, err := t.tx.Exec("INSERT OR REPLACE INTO document (kind, id, body) VALUES (?, ?, ?)", kind, id,
		seal.Canonical(document))
	return err
}

// Delete removes a document, if it is there.
func (t *Tx) Delete(kind, id string) error {
	_, err := t.tx.Exec("DELETE FROM document WHERE kind = ? AND id = ?", kind, id)
	return err
}

// DeleteThrough removes the documents of a kind up to an id, bytewise.
func (t *Tx) DeleteThrough(kind, id string) error {
	_, err := t.tx.Exec("DELETE FROM document WHERE kind = ? AND id <= ?", kind, id)
	return err
}

// Append adds the next event to the log. It fails if its sequence is another
// one: no sequence is ever used twice.
func (t *Tx) Append(event seal.Object) error {
	var last int64
	if err := t.tx.QueryRow("SELECT coalesce(max(sequence), 0) FROM event").Scan(&last); err != nil {
		return err
	}
	sequence := seal.Integer(seal.Member(event, "body"), "sequence")
	if sequence != last+1 {
		return fmt.Errorf("the log: expected sequence %d, found %d", last+1, sequence)
	}
	line := seal.Canonical(event)
	t.lines = append(append(t.lines, line...), '\n')
	_, err := t.tx.Exec("INSERT INTO event (sequence, line) VALUES (?, ?)", sequence, line)
	return err
}

// page is how many documents or events are read at once.
const page = 256

// complete adds to the log's file everything that was committed and not written: the file is always a
// beginning of the lines of all events.
func (s *Store) complete() error {
	written, err := s.log.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	var committed int64
	if err := s.db.QueryRow("SELECT coalesce(sum(length(line) + 1), 0) FROM event").Scan(&committed); err != nil {
		return err
	}
	if written > committed {
		return fmt.Errorf("%s has %d bytes, the store %d: the store was put back to an older state", s.log.Name(), written,
			committed)
	}
	for after, from := uint64(0), int64(0); written < committed; {
		lines, err := s.Lines(after, page)
		if err != nil {
			return err
		}
		b := append(bytes.Join(lines, []byte("\n")), '\n')
		from, after = from+int64(len(b)), after+uint64(len(lines))
		if from > written {
			n, err := s.log.Write(b[int64(len(b))-(from-written):])
			if written += int64(n); err != nil {
				return err
			}
		}
	}
	return s.log.Sync()
}
