package parquetfile

import (
	"encoding/binary"
	"math"
)

// value is one value of a column.
type value struct {
	n int64   // of integers and booleans
	f float64 // of floating point
	b []byte  // of octets
}

// decoder is an iterator over the values of a page. Next returns false at their end,
// and at damage.
type decoder interface{ next() (value, bool) }

// plain decodes the encoding PLAIN.
type plain struct {
	b    []byte
	kind int64
	size int // of values of fixed size
	bit  int
}

func (p *plain) next() (v value, ok bool) {
	switch p.kind {
	case typeBoolean:
		if p.bit/8 >= len(p.b) {
			return v, false
		}
		v.n = int64(p.b[p.bit/8] >> (p.bit % 8) & 1)
		p.bit++
		return v, true
	case typeBytes:
		const prefix = 4
		if len(p.b) < prefix {
			return v, false
		}
		size := int(binary.LittleEndian.Uint32(p.b))
		if size > len(p.b)-prefix {
			return v, false
		}
		v.b, p.b = p.b[prefix:prefix+size], p.b[prefix+size:]
		return v, true
	}
	size := sizeOf(p.kind, p.size)
	if len(p.b) < size {
		return v, false
	}
	v, p.b = fixedValue(p.kind, p.b[:size]), p.b[size:]
	return v, true
}

// sizeOf returns the size of the values of a type.
func sizeOf(kind int64, fixed int) int {
	switch kind {
	case typeInt32, typeFloat:
		return 4
	case typeInt64, typeDouble:
		return 8
	case typeInt96:
		return 12
	}
	return fixed
}

// fixedValue reads a value of fixed size.
func fixedValue(kind int64, b []byte) value {
	switch kind {
	case typeInt32:
		return value{n: int64(int32(binary.LittleEndian.Uint32(b)))}
	case typeInt64:
		return value{n: int64(binary.LittleEndian.Uint64(b))}
	case typeFloat:
		return value{f: float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))}
	case typeDouble:
		return value{f: math.Float64frombits(binary.LittleEndian.Uint64(b))}
	}
	return value{b: b}
}

// hybrid decodes runs of one number, and of numbers of so many bits.
type hybrid struct {
	b      []byte
	width  int
	run    uint64 // numbers that are left of a run
	number uint64
	packed []byte // of a run of packed numbers
	bit    int
}

func (h *hybrid) next() (uint64, bool) {
	if h.run == 0 && !h.start() {
		return 0, false
	}
	h.run--
	if h.packed == nil {
		return h.number, true
	}
	v, ok := bits(h.packed, h.bit, h.width)
	h.bit += h.width
	return v, ok
}

// start starts the next run.
func (h *hybrid) start() bool {
	for h.run == 0 {
		head, n := binary.Uvarint(h.b)
		if n <= 0 || head == 0 {
			return false
		}
		h.b = h.b[n:]
		if head&1 == 0 {
			size := (h.width + 7) / 8
			if size > len(h.b) {
				return false
			}
			h.run, h.packed, h.number = head>>1, nil, 0
			for i := range size {
				h.number |= uint64(h.b[i]) << (8 * i)
			}
			h.b = h.b[size:]
			continue
		}
		groups := head >> 1
		if groups > 1<<32 {
			return false
		}
		size := min(groups*uint64(h.width), uint64(len(h.b))) // the last group may be cut off
		h.packed, h.bit, h.run = h.b[:size:size], 0, groups*8
		if h.packed == nil {
			h.packed = []byte{}
		}
		h.b = h.b[size:]
	}
	return true
}

// bits reads a number of up to 64 bits, the lowest first, at a bit of b.
func bits(b []byte, at, width int) (v uint64, ok bool) {
	if at+width > 8*len(b) {
		return 0, false
	}
	for got := 0; got < width; {
		use := min(8-at%8, width-got)
		v |= uint64(b[at/8]>>(at%8)&(1<<use-1)) << got
		got, at = got+use, at+use
	}
	return v, true
}

// booleans decodes the encoding RLE of booleans.
type booleans struct{ hybrid }

func (d *booleans) next() (value, bool) {
	n, ok := d.hybrid.next()
	return value{n: int64(n)}, ok
}

// indexed decodes numbers of values in a dictionary.
type indexed struct {
	hybrid
	values []value
}

func (d *indexed) next() (value, bool) {
	n, ok := d.hybrid.next()
	if !ok || n >= uint64(len(d.values)) {
		return value{}, false
	}
	return d.values[n], true
}

// split decodes the encoding BYTE_STREAM_SPLIT: first octets first.
type split struct {
	b    []byte
	kind int64
	size int
	at   int
	one  [64]byte
}

func (d *split) next() (value, bool) {
	count := len(d.b) / d.size
	if d.at >= count {
		return value{}, false
	}
	b := d.one[:0]
	if d.size > len(d.one) || d.kind == typeFixed {
		b = make([]byte, 0, d.size)
	}
	for i := range d.size {
		b = append(b, d.b[i*count+d.at])
	}
	d.at++
	return fixedValue(d.kind, b), true
}
