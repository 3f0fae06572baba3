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
	log  *logFile

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
	if s.log, err = openLogFile(filepath.Join(dir, logName+".ndjson")); err != nil {
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
		err = errors.Join(err, s.log.f.Close())
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
	if err := s.log.write(t.lines); err != nil {
		// The decision is committed; the file is completed at the next start.
		s.broken = fmt.Errorf("the log's file: %w", err)
	}
	return nil
}

// Tx provides the operations of an update.
type Tx struct {
	tx    *sql.Tx
	lines [][]byte
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
	t.lines = append(t.lines, line)
	_, err := t.tx.Exec("INSERT INTO event (sequence, line) VALUES (?, ?)", sequence, line)
	return err
}

// logFile is the log as canonical lines.
type logFile struct{ f *os.File }

func openLogFile(path string) (*logFile, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	return &logFile{f}, err
}

// write adds lines at the end.
func (l *logFile) write(lines [][]byte) error {
	if len(lines) == 0 {
		return nil
	}
	var b bytes.Buffer
	for _, line := range lines {
		b.Write(line)
		b.WriteByte('\n')
	}
	_, err := l.f.Write(b.Bytes())
	return err
}

// last cuts a torn line off the end and returns the sequence of the last whole
// one, 0 if there is none. The file is left positioned at its end.
func (l *logFile) last() (uint64, error) {
	size, err := l.f.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, err
	}
	var tail []byte
	const step = 1 << 16
	for from := size; from > 0 && bytes.Count(tail, []byte("\n")) < 2; {
		n := min(step, from)
		from -= n
		piece := make([]byte, n)
		if _, err := l.f.ReadAt(piece, from); err != nil {
			return 0, err
		}
		tail = append(piece, tail...)
	}
	whole := bytes.LastIndexByte(tail, '\n') + 1
	end := size - int64(len(tail)-whole)
	if err := l.f.Truncate(end); err != nil {
		return 0, err
	}
	if _, err := l.f.Seek(end, io.SeekStart); err != nil || whole == 0 {
		return 0, err
	}
	lines := bytes.Split(tail[:whole-1], []byte("\n"))
	event, err := seal.Parse(lines[len(lines)-1])
	if err != nil {
		return 0, fmt.Errorf("%s: its last line: %w", l.f.Name(), err)
	}
	//nolint:gosec // never negative: the store wrote it
	return uint64(seal.Integer(seal.Member(event, "body"), "sequence")), nil
}

// page is how many documents or events are read at once.
const page = 256

// complete adds to the log's file the lines that were committed and not written.
func (s *Store) complete() error {
	after, err := s.log.last()
	if err != nil {
		return err
	}
	have, err := s.Sequence()
	if err != nil {
		return err
	}
	if after > have {
		return fmt.Errorf("%s ends with event %d, the store with %d: the store was put back to an older state",
			s.log.f.Name(), after, have)
	}
	for after < have {
		lines, err := s.Lines(after, page)
		if err != nil {
			return err
		}
		if err := s.log.write(lines); err != nil {
			return err
		}
		after += uint64(len(lines))
	}
	return s.log.f.Sync()
}
