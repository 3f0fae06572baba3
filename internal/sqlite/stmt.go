package sqlite

import (
	"errors"
	"fmt"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/libc/sys/types"
	lib "modernc.org/sqlite/lib"
)

// slotSize is the room that every parameter of a statement has for a blob or a text: enough
// for digests, signatures and most ids. Longer values are allocated by themselves.
const slotSize = 64

// Stmt is a prepared statement. Values are bound without a copy inside the engine:
// they are in the parameter's slot, or in memory of their own until the next reset.
// A parameter stays bound from one execution to the next, so an equal number, or a
// blob of equal length in the slot, is not bound again.
type Stmt struct {
	c     *Conn
	p     uintptr
	sql   string
	slots uintptr
	bound []binding // of each parameter
	extra []uintptr
	err   error // the first fault in binding, returned by step
}

// binding describes the value that a parameter is bound to.
type binding struct {
	kind  kind
	value int64 // the number, or the length of the value in the slot
}

type kind uint8

const (
	asNull kind = iota // so is a parameter that nothing was ever bound to
	asInt
	asBlob
	asText
	elsewhere // not in the slot: gone with the next reset
)

// Prepare prepares a statement, which the caller closes.
func (c *Conn) Prepare(sql string) (*Stmt, error) {
	text, err := libc.CString(sql)
	if err != nil {
		return nil, err
	}
	defer libc.Xfree(c.tls, text)
	out := libc.Xmalloc(c.tls, 8)
	if out == 0 {
		return nil, errors.New("out of memory")
	}
	defer libc.Xfree(c.tls, out)
	if lib.Xsqlite3_prepare_v3(c.tls, c.db, text, -1, lib.SQLITE_PREPARE_PERSISTENT, out, 0) != lib.SQLITE_OK {
		return nil, c.lastError(firstWords(sql))
	}
	s := &Stmt{c: c, p: *(*uintptr)(asPointer(out)), sql: sql}
	s.bound = make([]binding, lib.Xsqlite3_bind_parameter_count(c.tls, s.p))
	if s.slots = libc.Xmalloc(c.tls, types.Size_t(slotSize*max(1, len(s.bound)))); s.slots == 0 {
		lib.Xsqlite3_finalize(c.tls, s.p)
		return nil, errors.New("out of memory")
	}
	return s, nil
}

// Close closes the statement.
func (s *Stmt) Close() {
	s.Reset()
	s.countWork()
	lib.Xsqlite3_finalize(s.c.tls, s.p)
	libc.Xfree(s.c.tls, s.slots)
}

// Reset prepares the statement to be bound and run again.
func (s *Stmt) Reset() {
	lib.Xsqlite3_reset(s.c.tls, s.p)
	for _, p := range s.extra {
		libc.Xfree(s.c.tls, p)
	}
	if s.err != nil { // some parameter was not bound
		for i := range s.bound {
			s.bound[i] = binding{kind: elsewhere}
		}
	}
	s.extra, s.err = s.extra[:0], nil
}

// Step runs the statement to its next row.
func (s *Stmt) Step() (row bool, err error) {
	if s.err != nil {
		return false, s.err
	}
	reads.Add(1)
	switch lib.Xsqlite3_step(s.c.tls, s.p) {
	case lib.SQLITE_ROW:
		return true, nil
	case lib.SQLITE_DONE:
		return false, nil
	}
	return false, s.c.lastError(firstWords(s.sql))
}

// Do runs a bound statement that returns no rows, and resets it.
func (s *Stmt) Do() error {
	_, err := s.Step()
	s.Reset()
	return err
}

// Bind binds all parameters in order: int64, string, []byte or nil.
func (s *Stmt) Bind(args ...any) {
	for i, arg := range args {
		switch v := arg.(type) {
		case nil:
			s.BindNull(i)
		case int64:
			s.BindInt(i, v)
		case string:
			s.BindText(i, v)
		case []byte:
			s.BindBlob(i, v)
		default:
			s.err = fmt.Errorf("%s: a parameter of type %T", firstWords(s.sql), arg)
		}
	}
}

func (s *Stmt) checkResult(rc int32) {
	if rc != lib.SQLITE_OK && s.err == nil {
		s.err = s.c.lastError(firstWords(s.sql))
	}
}

// The parameters are numbered from 0, as are the columns.

// BindInt binds an integer.
func (s *Stmt) BindInt(i int, v int64) {
	if s.isBoundAgain(i, binding{asInt, v}) {
		return
	}
	s.checkResult(lib.Xsqlite3_bind_int64(s.c.tls, s.p, int32(i+1), v))
}

// BindNull binds NULL.
func (s *Stmt) BindNull(i int) {
	if s.isBoundAgain(i, binding{kind: asNull}) {
		return
	}
	s.checkResult(lib.Xsqlite3_bind_null(s.c.tls, s.p, int32(i+1)))
}

// BindBlob binds a copy of bytes.
func (s *Stmt) BindBlob(i int, v []byte) {
	if p, again := placeValue(s, i, v, asBlob); !again {
		s.checkResult(lib.Xsqlite3_bind_blob(s.c.tls, s.p, int32(i+1), p, int32(len(v)), lib.SQLITE_STATIC))
	}
}

// BindText binds a text.
func (s *Stmt) BindText(i int, v string) { bindText(s, i, v) }

// BindTextBytes binds a text that is given as bytes.
func (s *Stmt) BindTextBytes(i int, v []byte) { bindText(s, i, v) }

func bindText[T string | []byte](s *Stmt, i int, v T) {
	if p, again := placeValue(s, i, v, asText); !again {
		s.checkResult(lib.Xsqlite3_bind_text(s.c.tls, s.p, int32(i+1), p, int32(len(v)), lib.SQLITE_STATIC))
	}
}

// isBoundAgain records the binding of a parameter, and reports whether it is there already. A
// parameter that the statement does not have is left for the engine to refuse.
func (s *Stmt) isBoundAgain(i int, b binding) bool {
	switch {
	case i >= len(s.bound):
		return false
	case s.bound[i] == b && b.kind != elsewhere:
		return true
	}
	s.bound[i] = b
	return false
}

// placeValue copies a value to where it is bound, and reports whether the parameter
// is bound to that already.
func placeValue[T string | []byte](s *Stmt, i int, v T, k kind) (p uintptr, again bool) {
	p, b := s.slots+uintptr(i*slotSize), binding{k, int64(len(v))}
	if i >= len(s.bound) || len(v) > slotSize {
		p, b = s.roomFor(len(v)), binding{kind: elsewhere}
	}
	copy(engineMemory(p, len(v)), v)
	return p, s.isBoundAgain(i, b)
}

// roomFor returns n bytes that live until the next reset.
func (s *Stmt) roomFor(n int) uintptr {
	p := libc.Xmalloc(s.c.tls, types.Size_t(n+1))
	if p == 0 {
		panic("sqlite: out of memory")
	}
	s.extra = append(s.extra, p)
	return p
}

// Int returns a column as an integer; 0 for NULL.
func (s *Stmt) Int(i int) int64 { return lib.Xsqlite3_column_int64(s.c.tls, s.p, int32(i)) }

// Null reports whether a column is NULL.
func (s *Stmt) Null(i int) bool {
	return lib.Xsqlite3_column_type(s.c.tls, s.p, int32(i)) == lib.SQLITE_NULL
}

// Blob returns a column as bytes, which are valid until the next step.
func (s *Stmt) Blob(i int) []byte {
	v := lib.Xsqlite3_column_value(s.c.tls, s.p, int32(i))
	p := lib.Xsqlite3_value_blob(s.c.tls, v) // ahead of the length, which it can change
	return engineMemory(p, int(lib.Xsqlite3_value_bytes(s.c.tls, v)))
}

// Text returns a column as a text.
func (s *Stmt) Text(i int) string { return string(s.Blob(i)) }

// asPointer turns an address of the engine's own memory, which Go does not move
// or free, into a pointer.
func asPointer(p uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }

// engineMemory is the engine's own memory as bytes.
func engineMemory(p uintptr, n int) []byte {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(asPointer(p)), n)
}

// firstWords names a statement in an error.
func firstWords(sql string) string {
	const most = 60
	if len(sql) > most {
		return sql[:most] + "…"
	}
	return sql
}

// PrepareAll prepares a statement into each of the places.
func (c *Conn) PrepareAll(texts map[**Stmt]string) error {
	for place, sql := range texts {
		s, err := c.Prepare(sql)
		if err != nil {
			return err
		}
		*place = s
	}
	return nil
}

// CloseAll closes statements; nil is ignored.
func CloseAll(stmts ...*Stmt) {
	for _, s := range stmts {
		if s != nil {
			s.Close()
		}
	}
}
