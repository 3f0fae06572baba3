package ledger

import (
	"context"
	"crypto/hmac"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/svc-edge/svc-verify/archive/codec"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/internal/sqlite"
	"github.com/svc-edge/svc-verify/internal/sqlite/guard"
)

// ErrNotOwn reports that a ledger cannot be written to: it is another user's, or was
// changed.
var ErrNotOwn = errors.New("a ledger that is not yours, or was changed, is not written to")

// Writer writes to a ledger. A ledger has one writer at any time, over all processes.
// It is used by one goroutine at a time.
type Writer struct {
	*Ledger
	lock   *guard.Lock
	packer entryCodec
	old    []byte // the entry that was removed last
	broken error  // the first write that failed: the memory has no valid state any more
	stmts  struct{ get, insert, update, remove, change *sqlite.Stmt }
}

// OpenWrite opens a ledger for writing, and makes it if there is none. It reads all
// of it once, as Open does. The error is ErrBusy if another process is writing to it.
func OpenWrite(ctx context.Context, path string, secret Secret) (*Writer, error) {
	path, err := kind.PlaceToWrite(path)
	if err != nil {
		return nil, err
	}
	lock, err := kind.Lock(path)
	if err != nil {
		return nil, err
	}
	w, err := openLocked(ctx, path, secret)
	if err != nil {
		return nil, errors.Join(inFile(path, err), lock.Release())
	}
	w.lock = lock
	return w, nil
}

func openLocked(ctx context.Context, path string, secret Secret) (*Writer, error) {
	if err := guard.Sweep(path); err != nil {
		return nil, err
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		if err := create(path, secret); err != nil {
			return nil, fmt.Errorf("make the ledger: %w", err)
		}
	}
	if err := kind.Writable(path); err != nil {
		return nil, err
	}
	l, err := open(ctx, path, secret, sqlite.ReadWrite)
	if err != nil {
		return nil, err
	}
	w := &Writer{Ledger: l}
	w.packer.names = l.names
	l.names.add = w.addName
	if w.standing != Own {
		return w, nil // not one byte of it is changed
	}
	if err := w.prepare(); err != nil {
		return nil, errors.Join(err, l.conn.Close())
	}
	return w, nil
}

// create makes a ledger without objects.
func create(path string, secret Secret) error {
	k, err := newKeys(secret)
	if err != nil {
		return err
	}
	l := &Ledger{keys: k, state: state{keyID: k.id[:]}}
	return kind.Create(path, l.saveState)
}

// prepare sets the connection up. A commit is safe against the end of the process at
// once, and against the end of the machine from the next record on.
func (w *Writer) prepare() error {
	err := w.conn.Exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=8192")
	if err != nil {
		return err
	}
	return w.conn.PrepareAll(map[**sqlite.Stmt]string{
		&w.stmts.get:    "SELECT entry, code FROM objects WHERE path = ?",
		&w.stmts.insert: "INSERT INTO objects VALUES (?1, ?2, ?3)",
		&w.stmts.update: "UPDATE objects SET entry = ?2, code = ?3 WHERE path = ?1",
		&w.stmts.remove: "DELETE FROM objects WHERE path = ?",
		&w.stmts.change: "INSERT INTO changes VALUES (?, ?, ?, ?)",
	})
}

// Close drops uncommitted writes, and makes the ledger one file again. A second call does
// nothing.
func (w *Writer) Close() error {
	if w.conn == nil {
		return nil
	}
	s := &w.stmts
	sqlite.CloseAll(s.get, s.insert, s.update, s.remove, s.change)
	err := w.conn.Rollback()
	if s.get != nil {
		_, fault := kind.Settle(w.conn) // a reader keeps the write-ahead log, which the next writer settles
		err = errors.Join(err, fault)
	}
	return errors.Join(err, w.Ledger.Close(), w.lock.Release())
}

// Owns reports whether a file is the ledger, or a file next to it that belongs to it.
func (w *Writer) Owns(info fs.FileInfo) bool { return guard.Owns(w.path, info) }

// Begin notes that a run begins, at a time in milliseconds since 1970, unless an
// interrupted one is to be continued. It is committed at once.
func (w *Writer) Begin(at int64) error {
	if w.state.began != 0 {
		return nil
	}
	if err := w.change(); err != nil {
		return err
	}
	w.state.began = at
	return w.Commit()
}

// Next is the number of the run that is going on, and of its record.
func (w *Writer) Next() int64 { return w.state.runs + 1 }

// Put writes an object, in place of the one with its path.
func (w *Writer) Put(o *Object) error {
	if !run.IsPath(o.Path) {
		return fmt.Errorf("%s is no path of an object", safetext.Quote(o.Path))
	}
	if err := w.change(); err != nil {
		return err
	}
	return w.fail(w.put(o))
}

func (w *Writer) put(o *Object) error {
	entry, err := w.packer.pack(o)
	if err != nil {
		return err
	}
	path := []byte(o.Path)
	known, err := w.takeAway(path)
	if err != nil {
		return err
	}
	s := w.stmts.insert
	if known {
		s = w.stmts.update
	} else {
		w.state.objects++
	}
	return w.write(s, path, entry)
}

// write writes a row of objects, by inserting or updating it.
func (w *Writer) write(s *sqlite.Stmt, path, entry []byte) error {
	code := w.keys.object(path, entry)
	w.state.sum.add(w.keys, code)
	s.BindBlob(0, path)
	s.BindBlob(1, entry)
	s.BindBlob(2, code[:])
	return s.Do()
}

// Remove removes the object with a path. It does nothing if there is none.
func (w *Writer) Remove(path string) error {
	if err := w.change(); err != nil {
		return err
	}
	known, err := w.takeAway([]byte(path))
	if err != nil || !known {
		return w.fail(err)
	}
	w.state.objects--
	w.stmts.remove.BindBlob(0, []byte(path))
	return w.fail(w.stmts.remove.Do())
}

// takeAway removes the row of a path from the sum; known is false if there is none.
func (w *Writer) takeAway(path []byte) (known bool, err error) {
	s := w.stmts.get
	defer s.Reset()
	s.BindBlob(0, path)
	if known, err = s.Step(); err != nil || !known {
		return false, err
	}
	old := w.keys.object(path, s.Blob(0))
	if !hmac.Equal(old[:], s.Blob(1)) {
		return false, &AlteredError{string(path), "it was changed while it was in use"}
	}
	w.state.sum.remove(w.keys, old)
	w.old = append(w.old[:0], s.Blob(0)...)
	return true, nil
}

// Touch notes that an object was read in the present run, and is unchanged. The rest of its entry stays
// as it is.
func (w *Writer) Touch(path string, modified, at int64) error {
	if err := w.change(); err != nil {
		return err
	}
	known, err := w.takeAway([]byte(path))
	if err == nil && !known {
		err = &AlteredError{path, "it went away while it was in use"}
	}
	if err != nil {
		return w.fail(err)
	}
	var o Object
	var in, out codec.Octets
	var flags byte
	in.Read(w.old)
	in.Octet(&flags)
	packReading(&in, &o)
	o.Modified, o.ReadIn, o.ReadAt = modified, w.Next(), at
	out.Write(w.packer.Bytes()[:0])
	out.Octet(&flags)
	packReading(&out, &o)
	w.packer.Write(append(out.Bytes(), in.Bytes()...))
	return w.fail(w.write(w.stmts.update, []byte(path), w.packer.Bytes()))
}

// Note writes a change of the run that is going on. It refuses one that has not the form
// of SPEC 15.4, which no reader could tell from one that was altered.
func (w *Writer) Note(c *run.Change) error {
	line := c.Line()
	if _, err := run.ParseChange(line); err != nil {
		return fmt.Errorf("the change of %s: %w", safetext.Quote(c.Path), err)
	}
	if err := w.change(); err != nil {
		return err
	}
	n, path := w.Next(), []byte(c.Path)
	w.state.changes++
	w.state.nth++
	w.state.sum.add(w.keys, w.keys.change(n, path, w.state.nth, line))
	s := w.stmts.change
	s.Bind(n, path, w.state.nth, line)
	return w.fail(s.Do())
}

// addName gives a value a number.
func (w *Writer) addName(value []byte) (int64, error) {
	n, err := w.conn.Number("SELECT coalesce(max(name), 0) + 1 FROM names")
	if err != nil {
		return 0, err
	}
	code := w.keys.name(n, value)
	w.state.sum.add(w.keys, code)
	return n, w.conn.Run("INSERT INTO names VALUES (?, ?, ?)", n, value, code[:])
}

// ErrInside reports a file that is to be written inside the archive.
var ErrInside = errors.New("it is inside the archive")

// Outside returns an error if a file, which need not exist, is inside a directory. It
// compares directories and not their names, so that no link hides where the file is.
// A directory that is mounted in two places has two ways up: compare the files that
// are listed too, with [Writer.Owns].
func Outside(dir, file string) error {
	root, err := os.Stat(dir)
	if err != nil {
		return err
	}
	at, err := guard.Resolve(file)
	if err != nil {
		return err
	}
	for parent := filepath.Dir(at); ; parent = filepath.Dir(parent) {
		info, err := os.Stat(parent)
		if err != nil {
			return err
		}
		if os.SameFile(info, root) {
			return fmt.Errorf("%s: %w %s", safetext.Quote(file), ErrInside, safetext.Quote(dir))
		}
		if parent == filepath.Dir(parent) {
			return nil
		}
	}
}
