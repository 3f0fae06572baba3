package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/internal/sqlite"
	"github.com/svc-edge/svc-verify/internal/sqlite/guard"
)

// Writer adds evidence to a case. A case has one writer at any time, over all processes.
// One goroutine uses it at a time, but for its methods Owns, Prepare and Kept.
type Writer struct {
	*output
	*standing
	path    string
	file    *File // that reads committed rows
	lock    *guard.Lock
	full    int            // bytes of a run; tests change it
	added   map[int64]bool // sources that this writer completed
	adopted bool           // the key vouches for the case from now on
}

// output writes the rows of a case.
type output struct {
	*transaction
	sources []*source    // by number, from 1
	touched []*source    // that the case has otherwise
	given   []part.Share // the sources as shares
	wholes  wholes
	logs    map[facts.Log]int64
	earlier *index // the runs that are written
	run     *run
	judges  *judges // nil: events are not judged, and bodies are kept
	next    numbers
	bodies  bodies

	block, statement *sqlite.Stmt
	events           eventIndex
}

// numbers are the numbers of the next rows.
type numbers struct{ run, block, statement, log int64 }

// OpenWrite opens a case for writing, and creates it if there is none. It refuses a file
// that is no case, and does not change it. It checks an existing case as [OpenRead] does.
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
		made = true
		if err := kind.Create(path); err != nil {
			return nil, fmt.Errorf("make the case: %w", err)
		}
	}
	if err := kind.Writable(path); err != nil {
		return nil, err
	}
	conn, err := sqlite.Open(path, sqlite.ReadWrite)
	if err != nil {
		return nil, err
	}
	w := writerBy(path, conn, options)
	journal := "WAL"
	if made { // no one reads it yet, and new pages are written once
		journal = "TRUNCATE"
	}
	if err = w.believe(made); err == nil {
		err = w.readState(journal)
	}
	if err == nil {
		err = w.keeper.openJournal(conn, path, w.lineage != nil, w.reopened)
	}
	if err == nil {
		err = w.Purge() // removes the rest of a process that ended before its own purge
	}
	if err != nil {
		return nil, errors.Join(err, w.file.Close(), conn.Close())
	}
	return w, nil
}

// writerBy returns a writer that has taken nothing up yet.
func writerBy(path string, c *sqlite.Conn, options []Option) *Writer {
	t, s := &transaction{conn: c}, newStanding(options)
	w := &Writer{output: &output{transaction: t, run: newRun()}, standing: s, path: path,
		file: &File{conns: newConns(path), standing: s}, full: fullRun, added: map[int64]bool{}}
	t.onChange = w.mark
	return w
}

// believe checks the case, unless the user's key vouches for it. SQLite first undoes the
// changes of a program that ended while it wrote.
func (w *Writer) believe(made bool) error {
	if _, err := kind.Shape(w.conn); err != nil {
		return err
	}
	if made {
		w.begun()
		w.keeper.forgetPlace(w.path)
		if err := w.beginChange(); err != nil {
			return err
		}
		return w.conn.Exec("COMMIT") // a kill from here on leaves the mark of the key
	}
	if w.alone {
		if err := w.conn.Run("UPDATE paths SET absolute = ''"); err != nil {
			return err
		}
	}
	vouched, err := w.isVouchedFor(w.conn)
	if err != nil || vouched {
		return err
	}
	if err := w.file.readCatalogue(); err != nil {
		return err
	}
	return w.file.Check(w.ctx)
}

// readState reads the state of the case. A commit is safe against the end of the process at
// once, and against the end of the machine from the next checkpoint on.
func (w *output) readState(journal string) (err error) {
	err = w.conn.Exec("PRAGMA journal_mode=" + journal + "; PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=2048; " +
		"PRAGMA cache_size=-8192")
	if err != nil {
		return err
	}
	if w.sources, err = readSources(w.conn); err != nil {
		return err
	}
	for _, s := range w.sources {
		if s.whole {
			w.wholes.addSource(s)
		}
	}
	if w.earlier, err = readIndex(w.conn); err != nil {
		return err
	}
	w.logs = map[facts.Log]int64{}
	for number, l := range w.earlier.logs {
		w.logs[l] = number
	}
	for place, query := range map[*int64]string{
		&w.next.run:       "SELECT coalesce(max(run), 0) + 1 FROM run_sources",
		&w.next.log:       "SELECT coalesce(max(log), 0) + 1 FROM logs",
		&w.next.block:     "SELECT coalesce(max(block), 0) + 1 FROM blocks",
		&w.next.statement: "SELECT coalesce(max(statement), 0) + 1 FROM statements",
		&w.bodies.next:    "SELECT coalesce(max(body), 0) + 1 FROM bodies",
	} {
		if *place, err = w.conn.Number(query); err != nil {
			return err
		}
	}
	if err := w.events.openIndex(w.conn); err != nil {
		return err
	}
	return w.conn.PrepareAll(map[**sqlite.Stmt]string{
		&w.block:      "INSERT INTO blocks VALUES (?, ?, ?, ?, ?, ?, ?)",
		&w.statement:  "INSERT INTO statements VALUES (?, ?, ?, ?, ?, ?)",
		&w.bodies.add: "INSERT INTO bodies VALUES (?, ?)",
	})
}

// Close drops everything since the last commit and makes the case one file again. If a reader
// keeps the case open for too long, the case keeps its write-ahead log next to it until a
// later writer closes it, and the function of [Notify] is called.
func (w *Writer) Close() error { return w.end(errors.Join(w.conn.Rollback(), Record(w), w.drop())) }

// LetGo is Close for a writer that will write again soon: it does not wait for
// readers, and does not report them.
func (w *Writer) LetGo() error {
	w.notify = func(string) {}
	return w.end(errors.Join(w.drop(), w.conn.Exec("PRAGMA busy_timeout=0")))
}

// drop drops everything since the last commit, and lets the key vouch for the rest.
func (w *Writer) drop() error {
	sqlite.CloseAll(w.block, w.statement, w.events.insert, w.bodies.add)
	err := errors.Join(w.conn.Rollback(), w.file.Close())
	if err == nil {
		err = w.vouch()
	}
	return err
}

// end makes the case one file again and closes it.
func (w *Writer) end(err error) error {
	held, fault := kind.Settle(w.conn)
	if held {
		w.notify("another process has the case open: until it is closed, " + safetext.Quote(filepath.Base(w.path)+"-wal") +
			" belongs to it, and a copy needs both")
	}
	return errors.Join(err, fault, w.conn.Close(), w.lock.Release())
}

// Owns reports whether a file belongs to the case.
func (w *Writer) Owns(info fs.FileInfo) bool { return guard.Owns(w.path, info) }

// Spool creates a temporary file in the folder of the case. To close it removes it.
func (w *Writer) Spool() (facts.Spool, error) {
	f, err := guard.Temporary(w.path)
	if err != nil {
		return nil, err
	}
	return beside{f}, nil
}

// beside is a file that is removed when it is closed.
type beside struct{ *os.File }

var _ io.ReaderAt = beside{}

func (b beside) Close() error { return errors.Join(b.File.Close(), os.Remove(b.Name())) }

// Add adds a chunk of a source, and how far the source was read with it.
func (w *Writer) Add(c *facts.Chunk, at facts.Progress) error {
	if err := w.beginChange(); err != nil {
		return err
	}
	s := w.sources[c.Source-1]
	s.grows = s.grows || s.whole
	at.How = s.How
	s.Progress = at
	w.touch(s)
	containers := make([]uint32, len(c.Containers))
	for i := range c.Containers {
		containers[i] = s.container(&c.Containers[i])
	}
	s.countChunk(c, containers)
	p, ok := c.Prepared.(*prepared)
	if err := w.addRest(c, p, containers); err != nil {
		return errors.Join(err, w.conn.Rollback())
	}
	if ok {
		c.Prepared = nil
		first := w.run.count()
		w.run.addChunk(c, p, uint32(c.Source-1), containers)
		w.run.judgeLater(w.judges, p, first)
		err := p.err
		preparations.Put(p)
		if err != nil {
			return errors.Join(err, w.conn.Rollback())
		}
	}
	if w.run.memory() < w.full {
		return nil
	}
	return w.Commit()
}

// Commit writes the additions so far as a run, and commits it together with how far the
// sources were read.
func (w *Writer) Commit() error {
	if w.conn.Autocommit() { // nothing was added, or it was dropped
		return nil
	}
	if err := w.writeRun(context.Background()); err != nil {
		return errors.Join(err, w.conn.Rollback())
	}
	if err := w.saveSources(); err != nil {
		return errors.Join(err, w.conn.Rollback())
	}
	return w.conn.Exec("COMMIT")
}
