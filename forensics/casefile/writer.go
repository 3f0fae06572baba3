package casefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/internal/sqlite"
	"github.com/svc-edge/svc-verify/internal/sqlite/guard"
)

// Writer adds evidence to a case. A case has one writer at any time, over all
// processes. It must be used by one goroutine at a time.
type Writer struct {
	*Case
	*transaction
	intake
	loader
	lock     *guard.Lock
	adopted  bool           // the key vouches for the case from now on
	replaced bool           // there are readings to purge
	added    map[int64]bool // sources that this writer completed
}

// OpenWrite opens a case for writing, and creates it if there is none. It refuses a
// file that is not a case, and does not change it. It checks an existing case as
// OpenRead does.
func OpenWrite(path string, options ...Option) (*Writer, error) {
	path, err := kind.PlaceToWrite(path)
	if err != nil {
		return nil, err
	}
	lock, err := kind.Lock(path)
	if err != nil {
		return nil, err
	}
	w, err := openLocked(path, options)
	if err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	w.lock = lock
	return w, nil
}

func openLocked(path string, options []Option) (*Writer, error) {
	if err := guard.Sweep(path); err != nil {
		return nil, err
	}
	made := false
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		if err := kind.Create(path); err != nil {
			return nil, fmt.Errorf("make the case: %w", err)
		}
		made = true
	}
	if err := kind.Writable(path); err != nil {
		return nil, err
	}
	conn, err := sqlite.Open(path, sqlite.ReadWrite)
	if err != nil {
		return nil, err
	}
	t := &transaction{conn: conn, every: commitRecords}
	w := &Writer{Case: newCase(path, options), transaction: t, intake: intake{t}, added: map[int64]bool{}}
	t.onChange = w.mark
	if err := inOrder(func() error { return w.bringUp(made) }, w.prepare, w.leftOver, w.Purge); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return w, nil
}

// bringUp checks a case, and brings its schema up to date.
func (w *Writer) bringUp(made bool) error {
	if _, err := kind.Shape(w.conn); err != nil {
		return err
	}
	if err := kind.Migrate(w.conn); err != nil {
		return err
	}
	if made {
		w.begun()
		return inOrder(w.change, w.Commit) // a kill from here on leaves the mark of the key
	}
	if w.alone {
		if err := w.conn.Run("UPDATE paths SET absolute = ''"); err != nil {
			return err
		}
	}
	return w.stand(w.conn)
}

// prepare sets the connection up for bulk writing. A commit is safe against
// the end of the process at once, and against the end of the machine from the
// next checkpoint on; either way the case stays whole.
func (w *Writer) prepare() error {
	err := w.conn.Exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=2048; " +
		"PRAGMA cache_size=-8192")
	if err != nil {
		return err
	}
	return w.loader.open(w.conn)
}

// Close drops everything since the last commit and makes the case one file again.
// If a reader keeps the case open for too long, the case keeps its write-ahead log
// beside it until a later writer closes it, and the function of Notify is told so.
func (w *Writer) Close() error {
	w.loader.close()
	err := errors.Join(w.conn.Rollback(), w.Case.Close())
	if err == nil {
		err = w.vouch()
	}
	return w.end(err)
}

// end makes the case one file again and closes it.
func (w *Writer) end(err error) error {
	held, fault := kind.Settle(w.conn)
	if held {
		w.notify("somebody else has the case open: until it is closed, " + safetext.Quote(filepath.Base(w.path)+"-wal") +
			" belongs to it, and a copy needs both")
	}
	return errors.Join(err, fault, w.conn.Close(), w.lock.Release())
}

// Owns reports whether a file belongs to the case.
func (w *Writer) Owns(info fs.FileInfo) bool { return guard.Owns(w.path, info) }

// Spool is a temporary file for a source that cannot be read twice.
type Spool interface {
	io.Writer
	io.ReaderAt
	io.Closer
}

// Spool creates a temporary file beside the case. To close it removes it.
func (w *Writer) Spool() (Spool, error) {
	f, err := guard.Temporary(w.path)
	if err != nil {
		return nil, err
	}
	return beside{f}, nil
}

// beside is a file that is removed when it is closed.
type beside struct{ *os.File }

func (b beside) Close() error { return errors.Join(b.File.Close(), os.Remove(b.Name())) }
