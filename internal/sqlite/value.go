package sqlite

import (
	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// Columns returns the names of the columns.
func (s *Stmt) Columns() []string {
	names := make([]string, lib.Xsqlite3_column_count(s.c.tls, s.p))
	for i := range names {
		names[i] = libc.GoString(lib.Xsqlite3_column_name(s.c.tls, s.p, int32(i)))
	}
	return names
}

// Value returns a column as it is stored: nil, int64, float64, string, in UTF-8, or bytes,
// which are valid until the next step.
func (s *Stmt) Value(i int) any {
	switch lib.Xsqlite3_column_type(s.c.tls, s.p, int32(i)) {
	case lib.SQLITE_NULL:
		return nil
	case lib.SQLITE_INTEGER:
		return s.Int(i)
	case lib.SQLITE_FLOAT:
		return lib.Xsqlite3_column_double(s.c.tls, s.p, int32(i))
	case lib.SQLITE_TEXT:
		p := lib.Xsqlite3_column_text(s.c.tls, s.p, int32(i)) // ahead of the length, which it can change
		return string(engineMemory(p, int(lib.Xsqlite3_column_bytes(s.c.tls, s.p, int32(i)))))
	}
	return s.Blob(i)
}
