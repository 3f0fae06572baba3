package sqlite

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// Mode describes the rights of a connection.
type Mode int32

// The modes.
const (
	ReadOnly  Mode = lib.SQLITE_OPEN_READONLY
	ReadWrite Mode = lib.SQLITE_OPEN_READWRITE
	Create    Mode = lib.SQLITE_OPEN_READWRITE | lib.SQLITE_OPEN_CREATE
)

// busyTimeout is how long a statement waits for another connection, in
// milliseconds.
const busyTimeout = 10_000

// mostKept bounds the statements that a connection keeps prepared.
const mostKept = 32

// Conn is one connection to a database file. It is used by one goroutine at a time.
type Conn struct {
	tls  *libc.TLS
	db   uintptr
	kept map[string]*Stmt // statements that are not in use, by their text
}

// Open opens a database file. The connection runs no trigger and no view of it. One that
// only reads writes to no file that there is: where the index of a write-ahead log is
// not right, it makes one in memory.
func Open(path string, m Mode) (*Conn, error) {
	c := &Conn{tls: libc.NewTLS(), kept: map[string]*Stmt{}}
	name, err := libc.CString(nameOf(path, m))
	if err != nil {
		return nil, err
	}
	defer libc.Xfree(c.tls, name)
	out := libc.Xmalloc(c.tls, 8)
	if out == 0 {
		return nil, errors.New("out of memory")
	}
	defer libc.Xfree(c.tls, out)
	const always = lib.SQLITE_OPEN_URI | lib.SQLITE_OPEN_NOMUTEX | lib.SQLITE_OPEN_EXRESCODE
	rc := lib.Xsqlite3_open_v2(c.tls, name, out, int32(m)|always, 0)
	c.db = *(*uintptr)(asPointer(out))
	if rc != lib.SQLITE_OK {
		err := c.lastError("open " + path)
		c.Close()
		return nil, err
	}
	lib.Xsqlite3_busy_timeout(c.tls, c.db, busyTimeout)
	if err := hardenConn(c); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// nameOf names a file as the engine is to open it. Without the index of a write-ahead
// log it cannot read one, so that it makes an index that is not there. Of a log without
// a frame, which a killed writer leaves, the engine must write the index: otherwise it
// waits for ten seconds for a writer that would, and gives up.
func nameOf(path string, m Mode) string {
	if _, err := os.Lstat(path + "-shm"); m != ReadOnly || err != nil || !hasFrames(path+"-wal") {
		return path
	}
	path = filepath.ToSlash(path)
	if filepath.VolumeName(path) != "" {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: "readonly_shm=1"}).String()
}

// Close closes the connection and its statements.
func (c *Conn) Close() error {
	for _, s := range c.kept {
		s.Close()
	}
	c.kept = nil
	rc := lib.Xsqlite3_close_v2(c.tls, c.db)
	c.db = 0
	c.tls.Close()
	if rc != lib.SQLITE_OK {
		return fmt.Errorf("close the file: SQLite error %d", rc)
	}
	return nil
}

// lastError makes an error of the engine's last complaint.
func (c *Conn) lastError(doing string) error {
	code := lib.Xsqlite3_extended_errcode(c.tls, c.db)
	err := fmt.Errorf("%s: %s (SQLite error %d)", doing, libc.GoString(lib.Xsqlite3_errmsg(c.tls, c.db)), code)
	switch {
	case code == lib.SQLITE_FULL || code == lib.SQLITE_IOERR_WRITE:
		return &full{err}
	case code == lib.SQLITE_READONLY_ROLLBACK:
		return fmt.Errorf("%w: %w", ErrHot, err)
	case code&0xff == lib.SQLITE_BUSY:
		return fmt.Errorf("%w: %w", ErrLocked, err)
	case code&0xff == lib.SQLITE_NOTADB:
		return fmt.Errorf("%w: %w", ErrForeign, &damaged{err})
	case code&0xff == lib.SQLITE_CORRUPT:
		return &damaged{err}
	}
	return err
}

// damaged is an [ErrDamaged] in the words of the engine.
type damaged struct{ error }

func (d *damaged) Is(target error) bool { return target == ErrDamaged }

// ErrFull reports that a file could not grow.
var ErrFull = errors.New("there is no room for the file")

// full is an [ErrFull] that explains what to do.
type full struct{ err error }

func (f *full) Error() string {
	return f.err.Error() + "; make room on the disk and run the same command again: it continues from the last commit"
}

func (f *full) Is(target error) bool { return target == ErrFull }

// ErrHot reports that a program ended while it wrote to the file, so that a connection
// that may write to it has to undo that first.
var ErrHot = errors.New("a program ended while it wrote to the file")

// ErrForeign is an [ErrDamaged] of a file whose header is none of SQLite.
var ErrForeign = errors.New("it is no SQLite file")

// ErrLocked reports that another connection keeps a lock for too long.
var ErrLocked = errors.New("the file is in use")

// Exec runs statements without parameters, and drops the rows that they return.
func (c *Conn) Exec(sql string) error {
	text, err := libc.CString(sql)
	if err != nil {
		return err
	}
	defer libc.Xfree(c.tls, text)
	if lib.Xsqlite3_exec(c.tls, c.db, text, 0, 0, 0) != lib.SQLITE_OK {
		return c.lastError(firstWords(sql))
	}
	return nil
}

// Number runs a query for one integer.
func (c *Conn) Number(sql string, args ...any) (int64, error) {
	n := int64(0)
	err := c.Each(sql, args, func(s *Stmt) error {
		n = s.Int(0)
		return nil
	})
	return n, err
}

// Run runs one statement with arguments: int64, string, []byte or nil.
func (c *Conn) Run(sql string, args ...any) error {
	return c.Each(sql, args, func(*Stmt) error { return nil })
}

// Each runs a query and calls row for every row of the answer. It keeps the
// prepared statement for the next call: preparing one costs more than running most
// of them.
func (c *Conn) Each(sql string, args []any, row func(*Stmt) error) error {
	s, err := c.Take(sql)
	if err != nil {
		return err
	}
	defer c.Keep(s)
	s.Bind(args...)
	for {
		more, err := s.Step()
		if err != nil || !more {
			return err
		}
		if err := row(s); err != nil {
			return err
		}
	}
}

// Take returns a prepared statement that is not in use. The caller gives it back
// with Keep.
func (c *Conn) Take(sql string) (*Stmt, error) {
	if s, ok := c.kept[sql]; ok {
		delete(c.kept, sql)
		return s, nil
	}
	return c.Prepare(sql)
}

// Keep gives back a statement of Take, to be used again. If the connection has too
// many, it closes another one, which is less likely to be needed soon.
func (c *Conn) Keep(s *Stmt) {
	if _, twice := c.kept[s.sql]; twice {
		s.Close()
		return
	}
	if len(c.kept) >= mostKept {
		for sql, other := range c.kept {
			other.Close()
			delete(c.kept, sql)
			break
		}
	}
	s.Reset()
	c.kept[s.sql] = s
}

// Snapshot runs f in a transaction, so that everything it reads is of one state. It uses
// the open transaction, if there is one.
func (c *Conn) Snapshot(f func() error) error {
	if !c.Autocommit() {
		return f()
	}
	if err := c.Exec("BEGIN"); err != nil {
		return err
	}
	err := f()
	if end := c.Rollback(); err == nil {
		err = end
	}
	return err
}

// Autocommit reports whether no transaction is open.
func (c *Conn) Autocommit() bool { return lib.Xsqlite3_get_autocommit(c.tls, c.db) != 0 }

// Rollback rolls back the open transaction, if there is one.
func (c *Conn) Rollback() error {
	if c.Autocommit() {
		return nil
	}
	return c.Exec("ROLLBACK")
}
