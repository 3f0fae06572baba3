package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/gofrs/flock"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// ErrBusy is returned where another process is writing to the case.
var ErrBusy = errors.New("another process is writing to the case")

// Case is an open case. Reading from it is safe for any number of goroutines;
// each of them uses a connection of its own.
type Case struct {
	path string

	mu    sync.Mutex
	idle  []*conn // connections for reading
	words map[int64]string
}

// OpenRead opens an existing case for reading.
func OpenRead(path string) (*Case, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := identify(path); err != nil {
		return nil, err
	}
	c := &Case{path: path, words: map[int64]string{}}
	return c, c.read(func(r *conn) error {
		version, err := r.number("PRAGMA user_version")
		return errors.Join(err, readable(version, int64(len(migrations()))))
	})
}

// readable says what to do about a case that has another version of the schema
// than the one that this program reads.
func readable(version, own int64) error {
	switch {
	case version < own:
		return fmt.Errorf("it has schema version %d, which is older than version %d that is read here: svc-verify ingest --case FILE PATH brings it up to date, also with evidence that it has already",
			version, own)
	case version > own:
		return fmt.Errorf("it has schema version %d, and this program knows no later one than %d: use the svc-verify that made it, or a later one", version, own)
	}
	return nil
}

// Close closes the connections for reading. No iterator may be in use.
func (c *Case) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var err error
	for _, r := range c.idle {
		err = errors.Join(err, r.close())
	}
	c.idle = nil
	return err
}

// read calls f with a connection for reading.
func (c *Case) read(f func(*conn) error) error {
	r, err := c.reader()
	if err != nil {
		return err
	}
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.idle = append(c.idle, r)
	}()
	return f(r)
}

func (c *Case) reader() (*conn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.idle); n > 0 {
		r := c.idle[n-1]
		c.idle = c.idle[:n-1]
		return r, nil
	}
	r, err := connect(c.path, readOnly)
	if err != nil {
		return nil, err
	}
	if err := harden(r); err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

// harden makes a connection distrust the file that it opened.
func harden(c *conn) error {
	return c.exec("PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; PRAGMA mmap_size=0; PRAGMA cache_size=-16384")
}

// lockSuffix is appended to a case's path to name its lock file. The lock is
// no part of the case, and stays behind empty.
const lockSuffix = ".lock"

// Writer adds evidence to a case. There is one for a case at any time, in
// whatever process, and it is used by one goroutine.
type Writer struct {
	*Case
	conn        *conn
	lock        *flock.Flock
	commitEvery int64 // records
	pending     int64 // records that were added and not committed
	loader
}

// OpenWrite opens a case for writing, and makes it first if there is none. A
// file that is there and is no case is refused and not touched.
func OpenWrite(path string) (*Writer, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(path); err == nil {
		if err := identify(path); err != nil {
			return nil, err
		}
	}
	lock := flock.New(path + lockSuffix)
	switch held, err := lock.TryLock(); {
	case err != nil:
		return nil, fmt.Errorf("lock the case: %w", err)
	case !held:
		return nil, fmt.Errorf("%s: %w", safetext.Quote(path), ErrBusy)
	}
	w, err := openLocked(path)
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	w.lock = lock
	return w, nil
}

func openLocked(path string) (*Writer, error) {
	if err := sweep(path); err != nil {
		return nil, err
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		if err := create(path); err != nil {
			return nil, fmt.Errorf("make the case: %w", err)
		}
	}
	if err := identify(path); err != nil {
		return nil, err
	}
	conn, err := connect(path, readWrite)
	if err != nil {
		return nil, err
	}
	w := &Writer{Case: &Case{path: path, words: map[int64]string{}}, conn: conn, commitEvery: commitRecords}
	if err := errors.Join(harden(conn), migrate(conn, migrations()), w.prepare()); err != nil {
		return nil, errors.Join(err, conn.close())
	}
	return w, nil
}

// prepare sets the connection up for bulk writing. A commit is safe against
// the end of the process at once, and against the end of the machine from the
// next checkpoint on; either way the case stays whole.
func (w *Writer) prepare() error {
	err := w.conn.exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=2048; PRAGMA cache_size=-8192")
	if err != nil {
		return err
	}
	return w.loader.open(w.conn)
}

// Close ends the writing: what was not committed is dropped, and the case is
// again the one file. If somebody reads it and does not come to an end soon, the
// case keeps its journal beside it until a later writer closes it; what was
// committed is in either of the two.
func (w *Writer) Close() error {
	w.loader.close()
	err := errors.Join(w.conn.rollback(), w.Case.Close())
	// That this fails while somebody reads is no fault.
	_ = w.conn.exec("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode=DELETE")
	return errors.Join(err, w.conn.close(), w.lock.Close())
}

// Owns reports whether a file is one of those that make up the case.
func (w *Writer) Owns(info fs.FileInfo) bool {
	for _, suffix := range []string{"", "-wal", "-shm", "-journal", lockSuffix} {
		if own, err := os.Stat(w.path + suffix); err == nil && os.SameFile(own, info) {
			return true
		}
	}
	return false
}

// create makes an empty case under another name first, so that whatever stands
// under the case's own name is known by its header.
func create(path string) (err error) {
	f, err := temporary(path)
	if err != nil {
		return err
	}
	name := f.Name()
	defer os.Remove(name)
	if err := f.Close(); err != nil {
		return err
	}
	c, err := connect(name, makeNew)
	if err != nil {
		return err
	}
	settings := fmt.Sprintf("PRAGMA page_size=%d; PRAGMA application_id=%d", pageSize, applicationID)
	if err := errors.Join(c.exec(settings), migrate(c, migrations()), c.close()); err != nil {
		return err
	}
	return os.Rename(name, path)
}

// rollback drops an open transaction, if there is one.
func (c *conn) rollback() error {
	if c.autocommit() {
		return nil
	}
	return c.exec("ROLLBACK")
}

// Spool makes a file beside the case for a source that cannot be read twice. It
// is the caller's to remove.
func (w *Writer) Spool() (*os.File, error) { return temporary(w.path) }

// temporarySuffix follows the case's name in those of files that do not outlive
// their process.
const temporarySuffix = ".svc-verify-temporary-"

func temporary(path string) (*os.File, error) {
	return os.CreateTemp(filepath.Dir(path), filepath.Base(path)+temporarySuffix+"*")
}

// sweep removes the temporary files of a process that was killed. The caller
// holds the lock, so that nobody uses them.
func sweep(path string) error {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), filepath.Base(path)+temporarySuffix) {
			err = errors.Join(err, os.Remove(filepath.Join(filepath.Dir(path), e.Name())))
		}
	}
	return err
}
