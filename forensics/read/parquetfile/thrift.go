package parquetfile

import "encoding/binary"

// The types of the compact protocol of Thrift.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftI16    = 4
	thriftI32    = 5
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
)

// mostNested bounds structures within structures.
const mostNested = 32

// thrift walks over a structure in the compact protocol.
type thrift struct {
	b     []byte
	bad   bool // it is damaged
	short bool // b ends too early; it is bad too
	depth int
}

func (t *thrift) fail() { t.bad, t.b = true, nil }

// cut is fail for a structure that goes on behind b.
func (t *thrift) cut() {
	t.fail()
	t.short = true
}

func (t *thrift) byte() byte {
	if len(t.b) == 0 {
		t.cut()
		return 0
	}
	c := t.b[0]
	t.b = t.b[1:]
	return c
}

func (t *thrift) uvarint() uint64 {
	v, n := binary.Uvarint(t.b)
	if n <= 0 {
		if t.fail(); n == 0 {
			t.short = true
		}
		return 0
	}
	t.b = t.b[n:]
	return v
}

// int reads an integer of any size.
func (t *thrift) int() int64 {
	v := t.uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

func (t *thrift) binary() []byte {
	n := t.uvarint()
	if n > uint64(len(t.b)) {
		t.cut()
		return nil
	}
	v := t.b[:n]
	t.b = t.b[n:]
	return v
}

// structure calls do for each field. What do leaves of a field must be skipped by it.
func (t *thrift) structure(do func(id int64, kind byte)) {
	if t.depth++; t.depth > mostNested {
		t.fail()
	}
	for id := int64(0); !t.bad; {
		head := t.byte()
		if head&0x0f == 0 {
			break
		}
		if delta := head >> 4; delta != 0 {
			id += int64(delta)
		} else {
			id = t.int()
		}
		do(id, head&0x0f)
	}
	t.depth--
}

// list calls do for each element.
func (t *thrift) list(do func(kind byte)) {
	head := t.byte()
	count := uint64(head >> 4)
	if count == 15 {
		count = t.uvarint()
	}
	if t.depth++; t.depth > mostNested || count > uint64(len(t.b)) {
		t.cut()
	}
	for ; count > 0 && !t.bad; count-- {
		do(head & 0x0f)
	}
	t.depth--
}

// skip passes a value. In a list, a boolean is an octet; in a structure it is in the
// head of its field.
func (t *thrift) skip(kind byte, inList bool) {
	switch kind {
	case thriftTrue, thriftFalse:
		if inList {
			t.byte()
		}
	case thriftByte:
		t.byte()
	case thriftI16, thriftI32, thriftI64:
		t.uvarint()
	case thriftDouble:
		for range 8 {
			t.byte()
		}
	case thriftBinary:
		t.binary()
	case thriftList, thriftSet:
		t.list(func(kind byte) { t.skip(kind, true) })
	case thriftMap:
		t.skipMap()
	case thriftStruct:
		t.structure(func(_ int64, kind byte) { t.skip(kind, false) })
	default:
		t.fail()
	}
}

func (t *thrift) skipMap() {
	count := t.uvarint()
	if count == 0 {
		return
	}
	kinds := t.byte()
	if t.depth++; t.depth > mostNested || count > uint64(len(t.b)) {
		t.cut()
	}
	for ; count > 0 && !t.bad; count-- {
		t.skip(kinds>>4, true)
		t.skip(kinds&0x0f, true)
	}
	t.depth--
}
