package parquetfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Magic begins and ends every file.
const (
	Magic     = "PAR1"
	encrypted = "PARE"
)

// mostFooter bounds the footer, which is held in memory.
const mostFooter = 64 << 20

// The errors of a file.
var (
	ErrNoFooter  = errors.New("no footer")
	ErrEncrypted = errors.New("it is encrypted")
	ErrFooter    = errors.New("a footer that is not understood")
)

// element is a node of the schema as the footer has it.
type element struct {
	name       []byte
	kind       int64 // the physical type, -1 for a group
	size       int64 // of a value of fixed size
	repetition int64
	children   int64
	converted  int64 // -1 for none
	logical    int64 // the field of the union, 0 for none
	unit       int64 // of a time, in parts of a second
}

// chunk is the part of a column that a group of rows has.
type chunk struct {
	codec      int64
	values     int64
	compressed int64
	data       int64 // where the pages begin
	dictionary int64 // where the page of the dictionary is; 0 for none
	elsewhere  bool  // in another file, or encrypted
}

// group is a group of rows.
type group struct {
	chunks []chunk
	rows   int64
}

// readFooter reads what stands at the end of the file.
func readFooter(r io.ReaderAt, size int64) (schema []element, groups []group, rows int64, err error) {
	const tail = 8
	if size < int64(len(Magic)+tail) {
		return nil, nil, 0, ErrNoFooter
	}
	var end [tail]byte
	if _, err := r.ReadAt(end[:], size-tail); err != nil {
		return nil, nil, 0, err
	}
	length := int64(binary.LittleEndian.Uint32(end[:]))
	switch magic := string(end[4:]); {
	case magic == encrypted:
		return nil, nil, 0, ErrEncrypted
	case magic != Magic || length > size-tail-int64(len(Magic)):
		return nil, nil, 0, ErrNoFooter
	case length > mostFooter:
		return nil, nil, 0, fmt.Errorf("%w: larger than the limit", ErrFooter)
	}
	b := make([]byte, length)
	if _, err := r.ReadAt(b, size-tail-length); err != nil {
		return nil, nil, 0, err
	}
	t := &thrift{b: b}
	secret := false
	t.structure(func(id int64, kind byte) {
		switch {
		case id == 2 && kind == thriftList:
			t.list(func(byte) { schema = append(schema, t.element()) })
		case id == 3:
			t.number(kind, &rows)
		case id == 4 && kind == thriftList:
			t.list(func(byte) { groups = append(groups, t.group()) })
		default:
			secret = secret || id == 8
			t.skip(kind, false)
		}
	})
	switch {
	case secret:
		return nil, nil, 0, ErrEncrypted
	case t.bad || len(schema) == 0 || len(t.b) > 0:
		return nil, nil, 0, ErrFooter
	}
	return schema, groups, rows, nil
}

// number reads a field that is an integer; any other is passed.
func (t *thrift) number(kind byte, to *int64) {
	if kind >= thriftByte && kind <= thriftI64 {
		*to = t.int()
		return
	}
	t.skip(kind, false)
}

func (t *thrift) element() element {
	e := element{kind: -1, converted: -1}
	t.structure(func(id int64, kind byte) {
		switch {
		case id == 1:
			t.number(kind, &e.kind)
		case id == 2:
			t.number(kind, &e.size)
		case id == 3:
			t.number(kind, &e.repetition)
		case id == 4 && kind == thriftBinary:
			e.name = t.binary()
		case id == 5:
			t.number(kind, &e.children)
		case id == 6:
			t.number(kind, &e.converted)
		case id == 10 && kind == thriftStruct:
			t.logical(&e)
		default:
			t.skip(kind, false)
		}
	})
	return e
}

// The fields of the union of logical types, and the converted types of old, that are
// told apart.
const (
	logicalString    = 1
	logicalMap       = 2
	logicalList      = 3
	logicalEnum      = 4
	logicalTimestamp = 8
	logicalJSON      = 12

	convertedUTF8   = 0
	convertedMap    = 1
	convertedMapOld = 2
	convertedList   = 3
	convertedEnum   = 4
	convertedMillis = 9
	convertedMicros = 10
	convertedJSON   = 19
)

func (t *thrift) logical(e *element) {
	t.structure(func(id int64, kind byte) {
		e.logical = id
		if id != logicalTimestamp || kind != thriftStruct {
			t.skip(kind, false)
			return
		}
		t.structure(func(id int64, kind byte) {
			if id != 2 || kind != thriftStruct {
				t.skip(kind, false)
				return
			}
			t.structure(func(id int64, kind byte) {
				if id >= 1 && id <= 3 {
					e.unit = []int64{1e3, 1e6, 1e9}[id-1]
				}
				t.skip(kind, false)
			})
		})
	})
}

func (t *thrift) group() (g group) {
	t.structure(func(id int64, kind byte) {
		switch {
		case id == 1 && kind == thriftList:
			t.list(func(byte) { g.chunks = append(g.chunks, t.chunk()) })
		case id == 3:
			t.number(kind, &g.rows)
		default:
			t.skip(kind, false)
		}
	})
	return g
}

func (t *thrift) chunk() (c chunk) {
	t.structure(func(id int64, kind byte) {
		switch {
		case id == 3 && kind == thriftStruct:
			t.chunkData(&c)
		default:
			c.elsewhere = c.elsewhere || id == 1 || id == 8 || id == 9
			t.skip(kind, false)
		}
	})
	return c
}

func (t *thrift) chunkData(c *chunk) {
	t.structure(func(id int64, kind byte) {
		switch id {
		case 4:
			t.number(kind, &c.codec)
		case 5:
			t.number(kind, &c.values)
		case 7:
			t.number(kind, &c.compressed)
		case 9:
			t.number(kind, &c.data)
		case 11:
			t.number(kind, &c.dictionary)
		default:
			t.skip(kind, false)
		}
	})
}

// The kinds of pages.
const (
	pageData       = 0
	pageDictionary = 2
	pageDataV2     = 3
)

// pageHeader is what stands before each page.
type pageHeader struct {
	kind         int64
	uncompressed int64
	compressed   int64
	values       int64
	encoding     int64
	defEncoding  int64
	repEncoding  int64
	defSize      int64 // of the levels of a second version
	repSize      int64
	plain        bool // a second version says that its values are not compressed
}

// readHeader reads the header that b begins with, and its size. short says that b
// ends within it.
func readHeader(b []byte) (h pageHeader, n int, short, ok bool) {
	t := &thrift{b: b}
	t.structure(func(id int64, kind byte) {
		switch {
		case id == 1:
			t.number(kind, &h.kind)
		case id == 2:
			t.number(kind, &h.uncompressed)
		case id == 3:
			t.number(kind, &h.compressed)
		case (id == 5 || id == 7) && kind == thriftStruct:
			t.numbers(map[int64]*int64{1: &h.values, 2: &h.encoding, 3: &h.defEncoding, 4: &h.repEncoding})
		case id == 8 && kind == thriftStruct:
			t.structure(func(id int64, kind byte) {
				to := map[int64]*int64{1: &h.values, 4: &h.encoding, 5: &h.defSize, 6: &h.repSize}[id]
				switch {
				case to != nil:
					t.number(kind, to)
				case id == 7:
					h.plain = kind == thriftFalse
				default:
					t.skip(kind, false)
				}
			})
		default:
			t.skip(kind, false)
		}
	})
	return h, len(b) - len(t.b), t.short, !t.bad
}

// numbers reads a structure of which some fields are wanted.
func (t *thrift) numbers(to map[int64]*int64) {
	t.structure(func(id int64, kind byte) {
		if want := to[id]; want != nil {
			t.number(kind, want)
			return
		}
		t.skip(kind, false)
	})
}
