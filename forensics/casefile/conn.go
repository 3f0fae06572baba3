package casefile

import (
	"errors"
	"fmt"

	"modernc.org/libc"
	sqlite "modernc.org/sqlite/lib"
)

// mode says what a connection may do.
type mode int32

const (
	readOnly  mode = sqlite.SQLITE_OPEN_READONLY
	readWrite mode = sqlite.SQLITE_OPEN_READWRITE
	makeNew   mode = sqlite.SQLITE_OPEN_READWRITE | sqlite.SQLITE_OPEN_CREATE
)

// busyTimeout is how long a statement waits for another connection, in
// milliseconds.
const busyTimeout = 10_000

// mostKept bounds the statements that a connection keeps prepared.
const mostKept = 32

// conn is one connection. It is used by one goroutine at a time.
type conn struct {
	tls  *libc.TLS
	db   uintptr
	kept map[string]*stmt // that nobody is using, by their text
}

func connect(path string, m mode) (*conn, error) {
	c := &conn{tls: libc.NewTLS(), kept: map[string]*stmt{}}
	name, err := libc.CString(path)
	if err != nil {
		return nil, err
	}
	defer libc.Xfree(c.tls, name)
	out := libc.Xmalloc(c.tls, 8)
	if out == 0 {
		return nil, errors.New("out of memory")
	}
	defer libc.Xfree(c.tls, out)
	rc := sqlite.Xsqlite3_open_v2(c.tls, name, out, int32(m)|sqlite.SQLITE_OPEN_NOMUTEX|sqlite.SQLITE_OPEN_EXRESCODE, 0)
	c.db = *(*uintptr)(pointer(out))
	if rc != sqlite.SQLITE_OK {
		err := c.fail("open " + path)
		c.close()
		return nil, err
	}
	sqlite.Xsqlite3_busy_timeout(c.tls, c.db, busyTimeout)
	if err := harden(c); err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

func (c *conn) close() error {
	for _, s := range c.kept {
		s.close()
	}
	c.kept = nil
	rc := sqlite.Xsqlite3_close_v2(c.tls, c.db)
	c.db = 0
	c.tls.Close()
	if rc != sqlite.SQLITE_OK {
		return fmt.Errorf("close the file: SQLite error %d", rc)
	}
	return nil
}

// fail makes an error of the engine's last complaint.
func (c *conn) fail(doing string) error {
	code := sqlite.Xsqlite3_extended_errcode(c.tls, c.db)
	next := ""
	if code == sqlite.SQLITE_FULL || code == sqlite.SQLITE_IOERR_WRITE {
		next = "; make room on the disk and run the same command again: it continues from the last commit"
	}
	err := fmt.Errorf("%s: %s (SQLite error %d)%s", doing, libc.GoString(sqlite.Xsqlite3_errmsg(c.tls, c.db)), code, next)
	if code&0xff == sqlite.SQLITE_BUSY {
		return fmt.Errorf("%w: %w", errLocked, err)
	}
	return err
}

// errLocked is returned where another connection holds what is asked for.
var errLocked = errors.New("the file is in use")

// exec runs statements that have no parameters; rows that they return are
// dropped.
func (c *conn) exec(sql string) error {
	text, err := libc.CString(sql)
	if err != nil {
		return err
	}
	defer libc.Xfree(c.tls, text)
	if sqlite.Xsqlite3_exec(c.tls, c.db, text, 0, 0, 0) != sqlite.SQLITE_OK {
		return c.fail(firstWords(sql))
	}
	return nil
}

// number runs a query for one integer.
func (c *conn) number(sql string, args ...any) (int64, error) {
	n := int64(0)
	err := c.each(sql, args, func(s *stmt) error {
		n = s.columnInt(0)
		return nil
	})
	return n, err
}

// run runs one statement with arguments: int64, string, []byte or nil.
func (c *conn) run(sql string, args ...any) error {
	return c.each(sql, args, func(*stmt) error { return nil })
}

// each runs a query and calls row for every row of the answer. The statement is
// kept for the next time: to prepare one costs more than most take to run.
func (c *conn) each(sql string, args []any, row func(*stmt) error) error {
	s, err := c.take(sql)
	if err != nil {
		return err
	}
	defer c.keep(s)
	s.bind(args...)
	for {
		more, err := s.step()
		if err != nil || !more {
			return err
		}
		if err := row(s); err != nil {
			return err
		}
	}
}

// take returns a statement that nobody is using.
func (c *conn) take(sql string) (*stmt, error) {
	if s, ok := c.kept[sql]; ok {
		delete(c.kept, sql)
		return s, nil
	}
	return c.prepare(sql)
}

// keep gives a statement of take back. If too many are kept, another one goes:
// this one is more likely to be needed again.
func (c *conn) keep(s *stmt) {
	if _, twice := c.kept[s.sql]; twice {
		s.close()
		return
	}
	if len(c.kept) >= mostKept {
		for sql, other := range c.kept {
			other.close()
			delete(c.kept, sql)
			break
		}
	}
	s.reset()
	c.kept[s.sql] = s
}

// takeAll takes statements into the places that name them.
func (c *conn) takeAll(texts map[**stmt]string) error {
	for place, sql := range texts {
		s, err := c.take(sql)
		if err != nil {
			return err
		}
		*place = s
	}
	return nil
}

// keepAll gives those statements back that were taken.
func (c *conn) keepAll(stmts ...*stmt) {
	for _, s := range stmts {
		if s != nil {
			c.keep(s)
		}
	}
}

// snapshot runs f in a transaction, so that all that it reads is of one state.
func (c *conn) snapshot(f func() error) error {
	if err := c.exec("BEGIN"); err != nil {
		return err
	}
	err := f()
	if end := c.rollback(); err == nil {
		err = end
	}
	return err
}

// autocommit reports whether no transaction is open.
func (c *conn) autocommit() bool { return sqlite.Xsqlite3_get_autocommit(c.tls, c.db) != 0 }

// rollback drops an open transaction, if there is one.
func (c *conn) rollback() error {
	if c.autocommit() {
		return nil
	}
	return c.exec("ROLLBACK")
}
