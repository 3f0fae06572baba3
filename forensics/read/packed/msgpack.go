package packed

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/svc-edge/svc-verify/forensics/read/rows"
)

// MessagePack writes the value that b begins with as a row, and returns its size. A
// list of a time and a map, which is how collectors write a record, is a row of the
// members "time" and "record"; a map is a row itself, and any other list is the member "value".
// Nothing else is a row. It returns ErrShort if b ends within the value. A row has at most largest
// octets.
func MessagePack(b []byte, t *rows.Text, largest int) (int, error) {
	d := &msgpack{decoder: decoder{b: b, t: t}, largest: largest}
	t.Open()
	switch kind := d.peek(); {
	case isMap(kind):
		d.members(d.count(d.byte()))
	case kind == 0x92 && IsRecord(b):
		d.byte()
		t.Name([]byte("time"))
		d.value()
		t.Name([]byte("record"))
		if !isMap(d.peek()) {
			d.fail(ErrDamaged)
		}
		d.value()
	case kind&0xf0 == 0x90 || kind == 0xdc || kind == 0xdd:
		t.Name([]byte("value"))
		d.value()
	default: // any octet would be one
		d.fail(ErrDamaged)
	}
	if d.err != nil {
		return 0, d.err
	}
	return len(b) - len(d.b), nil
}

// IsRecord reports whether b begins with a list of a time and something else, or of
// a list of a time and a map and something else.
func IsRecord(b []byte) bool {
	if len(b) < 4 || b[0] != 0x92 {
		return false
	}
	if b = b[1:]; b[0] == 0x92 {
		b = b[1:]
	}
	return b[0] == 0xd7 && b[1] == 0 || b[0] >= 0xcb && b[0] <= 0xd3
}

func isMap(head byte) bool { return head&0xf0 == 0x80 || head == 0xde || head == 0xdf }

type msgpack struct {
	decoder
	largest int
}

func (d *msgpack) peek() byte {
	if len(d.b) == 0 {
		d.fail(ErrShort)
		return 0
	}
	return d.b[0]
}

// number takes a number of so many octets, the highest first.
func (d *msgpack) number(size int) (n uint64) {
	for _, c := range d.take(uint64(size)) {
		n = n<<8 | uint64(c)
	}
	return n
}

// count takes how many elements, members or octets there are, by the head of a value.
func (d *msgpack) count(head byte) uint64 {
	switch {
	case head&0xe0 == 0xa0:
		return uint64(head & 0x1f)
	case head&0xf0 == 0x80, head&0xf0 == 0x90:
		return uint64(head & 0x0f)
	case head == 0xc4, head == 0xc7, head == 0xd9:
		return d.number(1)
	case head == 0xc5, head == 0xc8, head == 0xda, head == 0xdc, head == 0xde:
		return d.number(2)
	}
	return d.number(4)
}

// value writes a value.
func (d *msgpack) value() {
	if d.t.Size() > d.largest {
		d.fail(ErrDamaged)
	}
	if !d.deeper() {
		return
	}
	defer func() { d.depth-- }()
	switch head := d.byte(); {
	case d.err != nil:
	case head < 0x80 || head >= 0xe0:
		d.t.Int(int64(int8(head)))
	case isMap(head):
		d.t.Begin('{')
		d.members(d.count(head))
		d.t.End('}')
	case head&0xf0 == 0x90 || head == 0xdc || head == 0xdd:
		d.t.Begin('[')
		for n := d.count(head); n > 0 && d.err == nil; n-- {
			d.value()
		}
		d.t.End(']')
	case head&0xe0 == 0xa0 || head >= 0xd9 && head <= 0xdb:
		d.t.String(d.take(d.count(head)))
	case head >= 0xc4 && head <= 0xc6:
		d.t.Octets(d.take(d.count(head)))
	case head >= 0xc7 && head <= 0xc9:
		d.extension(d.count(head))
	case head >= 0xd4 && head <= 0xd8:
		d.extension(1 << (head - 0xd4))
	default:
		d.scalar(head)
	}
}

// scalar writes a value of fixed size.
func (d *msgpack) scalar(head byte) {
	switch head {
	case 0xc0:
		d.t.Null()
	case 0xc2, 0xc3:
		d.t.Bool(head == 0xc3)
	case 0xca:
		d.t.Float(float64(math.Float32frombits(uint32(d.number(4)))))
	case 0xcb:
		d.t.Float(math.Float64frombits(d.number(8)))
	case 0xcc, 0xcd, 0xce, 0xcf:
		d.t.Uint(d.number(1 << (head - 0xcc)))
	case 0xd0:
		d.t.Int(int64(int8(d.number(1))))
	case 0xd1:
		d.t.Int(int64(int16(d.number(2))))
	case 0xd2:
		d.t.Int(int64(int32(d.number(4))))
	case 0xd3:
		d.t.Int(int64(d.number(8)))
	default:
		d.fail(ErrDamaged)
	}
}

// members writes the members of a map.
func (d *msgpack) members(count uint64) {
	for ; count > 0 && d.err == nil; count-- {
		d.t.Name(d.key())
		d.value()
	}
}

// key takes the name of a member, which need not be a text.
func (d *msgpack) key() []byte {
	head := d.peek()
	if head&0xe0 == 0xa0 || head >= 0xd9 && head <= 0xdb || head >= 0xc4 && head <= 0xc6 {
		d.byte()
		return d.take(d.count(head))
	}
	var t rows.Text
	outer := d.t
	t.Open()
	t.Name([]byte("key"))
	d.t = &t
	d.value()
	d.t = outer
	return fmt.Appendf(nil, "%.64s", t.Close())
}

// extension writes a value of a kind of its own: a time, or octets.
func (d *msgpack) extension(size uint64) {
	kind := int8(d.byte())
	b := d.take(size)
	switch {
	case d.err != nil:
	case kind == 0 && size == 8: // of collectors: seconds and nanoseconds
		d.t.Time(int64(binary.BigEndian.Uint32(b)), int64(binary.BigEndian.Uint32(b[4:])))
	case kind == -1 && size == 4:
		d.t.Time(int64(binary.BigEndian.Uint32(b)), 0)
	case kind == -1 && size == 8:
		v := binary.BigEndian.Uint64(b)
		d.t.Time(int64(v&(1<<34-1)), int64(v>>34))
	case kind == -1 && size == 12:
		d.t.Time(int64(binary.BigEndian.Uint64(b[4:])), int64(binary.BigEndian.Uint32(b)))
	default:
		d.t.Octets(b)
	}
}
