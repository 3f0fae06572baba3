package sqlitefile

import (
	"encoding/binary"
	"math"
	"unicode/utf16"
)

// Kind is the kind of a value.
type Kind uint8

// The kinds of values.
const (
	Null Kind = iota
	Int
	Float
	Text
	Blob
)

// Value is one value of a row.
type Value struct {
	Kind  Kind
	Int   int64
	Float float64
	Bytes []byte // of a Text or Blob, valid until the next row; a Text is UTF-8, or what was stored as such
}

// varint reads a number of up to nine octets; n is 0 if b ends before it does.
func varint(b []byte) (v uint64, n int) {
	for i, c := range b[:min(len(b), 9)] {
		if i == 8 {
			return v<<8 | uint64(c), 9
		}
		if v = v<<7 | uint64(c&0x7f); c < 0x80 {
			return v, i + 1
		}
	}
	return 0, 0
}

// sizes of the serial types below 12.
var sizes = [...]int{0, 1, 2, 3, 4, 6, 8, 8, 0, 0}

// record reads the values of a row into values, and returns them. It returns false
// if the row is damaged; the values before the damage are returned.
func (f *File) record(b []byte, values []Value) ([]Value, bool) {
	size, n := varint(b)
	if n == 0 || size < uint64(n) || size > uint64(len(b)) {
		return values, false
	}
	types, body := b[n:size], b[size:]
	for len(types) > 0 {
		serial, n := varint(types)
		if n == 0 {
			return values, false
		}
		types = types[n:]
		length := uint64(0)
		switch {
		case serial >= 12:
			length = (serial - 12) / 2
		case serial < uint64(len(sizes)):
			length = uint64(sizes[serial])
		default:
			return values, false
		}
		if length > uint64(len(body)) {
			return values, false
		}
		values = append(values, f.value(serial, body[:length]))
		body = body[length:]
	}
	return values, true
}

func (f *File) value(serial uint64, b []byte) Value {
	switch {
	case serial == 0:
		return Value{}
	case serial == 7:
		return Value{Kind: Float, Float: math.Float64frombits(binary.BigEndian.Uint64(b))}
	case serial == 8 || serial == 9:
		return Value{Kind: Int, Int: int64(serial - 8)}
	case serial < 8:
		v := int64(int8(b[0]))
		for _, c := range b[1:] {
			v = v<<8 | int64(c)
		}
		return Value{Kind: Int, Int: v}
	case serial%2 == 0:
		return Value{Kind: Blob, Bytes: b}
	}
	return Value{Kind: Text, Bytes: f.text(b)}
}

// text returns a text as UTF-8.
func (f *File) text(b []byte) []byte {
	if f.encoding != 2 && f.encoding != 3 {
		return b
	}
	var order binary.ByteOrder = binary.LittleEndian
	if f.encoding == 3 {
		order = binary.BigEndian
	}
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = order.Uint16(b[2*i:])
	}
	return []byte(string(utf16.Decode(units)))
}
