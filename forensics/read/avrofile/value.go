package avrofile

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/svc-edge/svc-verify/forensics/read/rows"
)

// ErrValue says that octets are no value of a schema.
var ErrValue = errors.New("no value of the schema")

// Value writes the value that b begins with, and returns what follows it. A row has at
// most largest octets. The value of a record is the row; any other is its member value.
func (s *Schema) Value(b []byte, t *rows.Text, largest int) ([]byte, error) {
	d := decoder{b: b, t: t, largest: largest}
	t.Open()
	if s.kind == record {
		d.fields(s, 0)
	} else {
		t.Name([]byte("value"))
		d.value(s, 0)
	}
	if d.bad {
		return b, ErrValue
	}
	return d.b, nil
}

type decoder struct {
	b       []byte
	t       *rows.Text
	largest int
	bad     bool
}

// take takes n octets.
func (d *decoder) take(n int64) []byte {
	if n < 0 || n > int64(len(d.b)) {
		d.bad = true
		n = 0
	}
	taken := d.b[:n]
	d.b = d.b[n:]
	return taken
}

// long takes a number of variable size.
func (d *decoder) long() int64 {
	v, n := binary.Varint(d.b)
	if n <= 0 {
		d.bad = true
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) value(s *Schema, depth int) {
	if depth > mostDepth || d.t.Size() > d.largest {
		d.bad = true
	}
	if d.bad {
		return
	}
	switch s.kind {
	case null:
		d.t.Null()
	case boolean:
		if b := d.take(1); len(b) == 1 {
			d.t.Bool(b[0] != 0)
		}
	case integer:
		d.integer(s.unit)
	case float:
		if b := d.take(4); len(b) == 4 {
			d.t.Float(float64(math.Float32frombits(binary.LittleEndian.Uint32(b))))
		}
	case double:
		if b := d.take(8); len(b) == 8 {
			d.t.Float(math.Float64frombits(binary.LittleEndian.Uint64(b)))
		}
	case text:
		d.t.String(d.take(d.long()))
	case octets:
		d.t.Octets(d.take(d.long()))
	case fixed:
		d.t.Octets(d.take(int64(s.size)))
	case enum:
		if n := d.long(); n >= 0 && n < int64(len(s.names)) {
			d.t.String(s.names[n])
			return
		}
		d.bad = true
	case union:
		if n := d.long(); n >= 0 && n < int64(len(s.branches)) {
			d.value(s.branches[n], depth+1)
			return
		}
		d.bad = true
	case record:
		d.t.Begin('{')
		d.fields(s, depth)
		d.t.End('}')
	case array:
		d.list(s.branches[0], false, depth)
	case object:
		d.list(s.branches[0], true, depth)
	}
}

func (d *decoder) integer(unit int64) {
	v := d.long()
	if unit == 0 {
		d.t.Int(v)
		return
	}
	seconds := v / unit
	if v%unit < 0 {
		seconds--
	}
	d.t.Time(seconds, (v-seconds*unit)*(1e9/unit))
}

func (d *decoder) fields(s *Schema, depth int) {
	for i, name := range s.names {
		if d.bad || i >= len(s.branches) {
			return
		}
		d.t.Name(name)
		d.value(s.branches[i], depth+1)
	}
}

// list writes the blocks of a list or map.
func (d *decoder) list(s *Schema, named bool, depth int) {
	opening := byte('[')
	if named {
		opening = '{'
	}
	d.t.Begin(opening)
	for !d.bad {
		count := d.long()
		if count == 0 {
			break
		}
		if count < 0 {
			count = -count
			d.long() // the octets of the block
		}
		for ; count > 0 && !d.bad; count-- {
			if named {
				d.t.Name(d.take(d.long()))
			}
			d.value(s, depth+1)
		}
	}
	d.t.End(opening + 2) // in ASCII the closing bracket is the next but one
}
