package sqlite

import (
	"errors"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// The limits of a connection: the size of one value, and of the SQL of one object. Reading the
// schema is bounded by them.
const (
	mostValue = 256 << 20
	mostSQL   = 64 << 10
)

// hardenConn makes a connection distrust the file that it opened, before a
// statement runs.
func hardenConn(c *Conn) error {
	for op, on := range map[int32]int32{
		lib.SQLITE_DBCONFIG_DEFENSIVE:      1,
		lib.SQLITE_DBCONFIG_TRUSTED_SCHEMA: 0,
		lib.SQLITE_DBCONFIG_ENABLE_TRIGGER: 0,
		lib.SQLITE_DBCONFIG_ENABLE_VIEW:    0,
	} {
		if err := c.setSwitch(op, on); err != nil {
			return err
		}
	}
	for limit, most := range map[int32]int32{
		lib.SQLITE_LIMIT_LENGTH:        mostValue,
		lib.SQLITE_LIMIT_SQL_LENGTH:    mostSQL,
		lib.SQLITE_LIMIT_ATTACHED:      0,
		lib.SQLITE_LIMIT_TRIGGER_DEPTH: 1,
	} {
		lib.Xsqlite3_limit(c.tls, c.db, limit, most)
	}
	return c.Exec("PRAGMA cell_size_check=ON; PRAGMA mmap_size=0; PRAGMA cache_size=-16384")
}

// Vacuum writes the file again without free pages. Its schema is run once more, so that it
// has to be known. No transaction may be open, and no statement in use.
func (c *Conn) Vacuum() error {
	lib.Xsqlite3_limit(c.tls, c.db, lib.SQLITE_LIMIT_ATTACHED, 1) // the copy
	defer lib.Xsqlite3_limit(c.tls, c.db, lib.SQLITE_LIMIT_ATTACHED, 0)
	return c.Exec("VACUUM")
}

// LimitValues lowers how many bytes a value may have. Larger ones are an error where
// they are read.
func (c *Conn) LimitValues(most int) {
	lib.Xsqlite3_limit(c.tls, c.db, lib.SQLITE_LIMIT_LENGTH, int32(most))
}

// setSwitch sets one switch of the connection.
func (c *Conn) setSwitch(op, on int32) error {
	const slots = 2 * 8
	list := libc.Xmalloc(c.tls, slots)
	if list == 0 {
		return errors.New("out of memory")
	}
	defer libc.Xfree(c.tls, list)
	if lib.Xsqlite3_db_config(c.tls, c.db, op, libc.VaList(list, on, uintptr(0))) != lib.SQLITE_OK {
		return c.lastError("configure the connection")
	}
	return nil
}
