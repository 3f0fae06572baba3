package packed

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"math"

	"github.com/svc-edge/svc-verify/forensics/read/rows"
)

// least is the size of an empty document.
const least = 5

// BSON writes the document that b begins with as a row, and returns its size. It
// returns ErrShort if b ends within it.
func BSON(b []byte, t *rows.Text) (int, error) {
	size, ok := BSONSize(b)
	switch {
	case len(b) < 4:
		return 0, ErrShort
	case !ok:
		return 0, ErrDamaged
	case size > len(b):
		return 0, ErrShort
	}
	d := &decoder{b: b[4:size], t: t}
	t.Open()
	d.elements(true)
	if d.err != nil || len(d.b) > 0 {
		return 0, ErrDamaged // what is short within its own size is damaged
	}
	return size, nil
}

// BSONSize returns the size of the document that b begins with, by what it says.
func BSONSize(b []byte) (size int, ok bool) {
	if len(b) < 4 {
		return 0, false
	}
	n := int32(binary.LittleEndian.Uint32(b))
	return int(n), n >= least
}

// elements writes the members of a document, or the elements of a list.
func (d *decoder) elements(named bool) {
	for d.err == nil {
		kind := d.byte()
		if kind == 0 {
			return
		}
		name := d.cstring()
		if named {
			d.t.Name(name)
		}
		d.element(kind)
	}
}

// cstring takes octets that end with a zero.
func (d *decoder) cstring() []byte {
	n := bytes.IndexByte(d.b, 0)
	if n < 0 {
		d.fail(ErrDamaged)
		return nil
	}
	return d.take(uint64(n) + 1)[:n]
}

// string takes a text with its length before it, which counts the zero at its end.
func (d *decoder) string() []byte {
	b := d.take(d.int32())
	if len(b) == 0 || b[len(b)-1] != 0 {
		d.fail(ErrDamaged)
		return nil
	}
	return b[:len(b)-1]
}

func (d *decoder) int32() uint64 {
	if b := d.take(4); b != nil {
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return 0
}

func (d *decoder) int64() uint64 {
	if b := d.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// element writes a value of a kind.
func (d *decoder) element(kind byte) {
	switch kind {
	case 0x01:
		d.t.Float(math.Float64frombits(d.int64()))
	case 0x02, 0x0d, 0x0e: // text, code, symbol
		d.t.String(d.string())
	case 0x03:
		d.document('{')
	case 0x04:
		d.document('[')
	case 0x05:
		size := d.int32()
		d.byte() // its kind
		d.t.Octets(d.take(size))
	case 0x07:
		d.t.String(hex.AppendEncode(nil, d.take(12)))
	case 0x08:
		d.t.Bool(d.byte() != 0)
	case 0x09:
		ms := int64(d.int64())
		d.t.Time(ms/1000, ms%1000*1e6)
	case 0x06, 0x0a, 0x7f, 0xff: // undefined, null, and what is beyond all others
		d.t.Null()
	case 0x0b:
		pattern := d.cstring()
		d.cstring() // its options
		d.t.String(pattern)
	case 0x0c:
		name := d.string()
		d.take(12)
		d.t.String(name)
	case 0x0f:
		d.int32()
		d.t.String(d.string())
		d.skipScope()
	case 0x10:
		d.t.Int(int64(int32(d.int32())))
	case 0x11:
		d.t.Uint(d.int64())
	case 0x12:
		d.t.Int(int64(d.int64()))
	case 0x13:
		d.t.Octets(d.take(16))
	default:
		d.fail(ErrDamaged)
	}
}

// document writes a document, or a list, within the document.
func (d *decoder) document(bracket byte) {
	size := d.int32()
	if !d.deeper() || size < least {
		d.fail(ErrDamaged)
		return
	}
	b := d.take(size - 4)
	rest := d.b
	d.b = b
	d.t.Begin(bracket)
	d.elements(bracket == '{')
	d.t.End(bracket + 2) // in ASCII the closing bracket is the next but one
	if d.err == nil && len(d.b) > 0 {
		d.fail(ErrDamaged)
	}
	if d.depth--; d.err == nil {
		d.b = rest
	}
}

// skipScope passes the document of a code's variables.
func (d *decoder) skipScope() {
	size := d.int32()
	if size < least {
		d.fail(ErrDamaged)
		return
	}
	d.take(size - 4)
}
