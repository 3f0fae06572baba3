package parquetfile

import "encoding/binary"

// delta decodes the encoding DELTA_BINARY_PACKED: each number is the one before it and
// a difference.
type delta struct {
	b       []byte
	left    uint64 // numbers
	number  int64
	first   bool
	perMini uint64
	minis   int

	least  int64
	widths []byte // of the parts of a block that are left
	packed []byte
	width  int
	bit    int
	inMini uint64 // numbers that are left of a part
}

// Bounds on what is in a block.
const (
	mostMinis = 512
	mostBlock = 1 << 16
)

// newDelta reads the head of the encoding.
func newDelta(b []byte) (*delta, bool) {
	d := &delta{first: true}
	var head [3]uint64
	for i := range head {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			return nil, false
		}
		head[i], b = v, b[n:]
	}
	block, minis, count := head[0], head[1], head[2]
	first, n := binary.Varint(b)
	if n <= 0 || minis == 0 || minis > mostMinis || block > mostBlock || block%minis != 0 ||
		block/minis%8 != 0 || block == 0 {
		return nil, false
	}
	d.b, d.left, d.number = b[n:], count, first
	d.minis, d.perMini = int(minis), block/minis
	return d, true
}

func (d *delta) next() (value, bool) {
	if d.left == 0 {
		return value{}, false
	}
	d.left--
	if d.first {
		d.first = false
		return value{n: d.number}, true
	}
	if d.inMini == 0 && !d.start() {
		d.left = 0
		return value{}, false
	}
	v, ok := bits(d.packed, d.bit, d.width)
	d.bit += d.width
	d.inMini--
	d.number += d.least + int64(v)
	return value{n: d.number}, ok
}

// start starts the next part of a block.
func (d *delta) start() bool {
	if len(d.widths) == 0 {
		least, n := binary.Varint(d.b)
		if n <= 0 || len(d.b) < n+d.minis {
			return false
		}
		d.least, d.widths, d.b = least, d.b[n:n+d.minis], d.b[n+d.minis:]
	}
	d.width, d.widths = int(d.widths[0]), d.widths[1:]
	if d.width > 64 {
		return false
	}
	size := min(int(d.perMini)*d.width/8, len(d.b)) // the last one may be cut off
	d.packed, d.b, d.bit, d.inMini = d.b[:size], d.b[size:], 0, d.perMini
	return true
}

// rest passes all numbers, and returns what follows them.
func (d *delta) rest() ([]byte, bool) {
	if d.first && d.left > 0 {
		d.first = false
		d.left--
	}
	for d.left > 0 {
		if !d.start() {
			return nil, false
		}
		d.left -= min(d.left, d.perMini)
	}
	return d.b, true
}

// lengths decodes the encoding DELTA_LENGTH_BYTE_ARRAY: lengths, and then the octets.
type lengths struct {
	sizes  *delta
	octets []byte
}

func newLengths(b []byte) (*lengths, bool) {
	sizes, ok := newDelta(b)
	pass, _ := newDelta(b)
	if !ok {
		return nil, false
	}
	octets, ok := pass.rest()
	return &lengths{sizes, octets}, ok
}

func (d *lengths) next() (value, bool) {
	size, ok := d.sizes.next()
	if !ok || size.n < 0 || size.n > int64(len(d.octets)) {
		return value{}, false
	}
	v := value{b: d.octets[:size.n]}
	d.octets = d.octets[size.n:]
	return v, true
}

// prefixed decodes the encoding DELTA_BYTE_ARRAY: how much of the value before is the
// beginning of each, and its end.
type prefixed struct {
	prefixes *delta
	ends     *lengths
	last     []byte
}

func newPrefixed(b []byte) (*prefixed, bool) {
	prefixes, ok := newDelta(b)
	pass, _ := newDelta(b)
	if !ok {
		return nil, false
	}
	b, ok = pass.rest()
	if !ok {
		return nil, false
	}
	ends, ok := newLengths(b)
	return &prefixed{prefixes: prefixes, ends: ends}, ok
}

func (d *prefixed) next() (value, bool) {
	n, ok := d.prefixes.next()
	end, ok2 := d.ends.next()
	if !ok || !ok2 || n.n < 0 || n.n > int64(len(d.last)) {
		return value{}, false
	}
	d.last = append(d.last[:n.n], end.b...)
	return value{b: d.last}, true
}
