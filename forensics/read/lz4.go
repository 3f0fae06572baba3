package read

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

// What begins a frame of LZ4, and one of its first format.
var (
	lz4Magic  = []byte("\x04\x22\x4d\x18")
	lz4Legacy = []byte("\x02\x21\x4c\x18")
)

const (
	lz4Window      = 64 << 10 // how far back a block can refer
	lz4LegacyBlock = 8 << 20
)

var errLZ4 = errors.New("a header or block is wrong")

// lz4Codec reads frames of LZ4 (LZ4 Frame Format 1.6.4). The libraries that there
// are read beyond the end of a frame.
type lz4Codec struct{ buf []byte }

func (*lz4Codec) close() {}

func (*lz4Codec) starts(b []byte) bool { return lz4Start(b) || skippable(b) }

func (c *lz4Codec) find(b []byte) int {
	for at := range b {
		if lz4Start(b[at:]) {
			return at
		}
	}
	return -1
}

func lz4Start(b []byte) bool { return bytes.HasPrefix(b, lz4Magic) || bytes.HasPrefix(b, lz4Legacy) }

func (c *lz4Codec) open(in *input) (io.Reader, error) {
	f := &lz4Frame{codec: c, in: &counting{in: in}}
	return f, f.header()
}

// lz4Frame is one frame.
type lz4Frame struct {
	codec *lz4Codec
	in    *counting
	max   int  // size of a block
	old   bool // of the first format, which has no end and no checksums
	ended bool

	linked, sums, sum bool
	content           xxh32
	said, size        int64 // of the content; -1 if it is not said

	rest []byte // of the block that was decoded
}

// The bits of a frame's descriptor.
const (
	lz4Independent = 1 << 5
	lz4BlockSums   = 1 << 4
	lz4Size        = 1 << 3
	lz4Sum         = 1 << 2
	lz4Dictionary  = 1 << 0
)

// header reads the header of a frame, or passes a skippable one.
func (f *lz4Frame) header() error {
	magic, err := f.in.take(4)
	if err != nil {
		return err
	}
	f.said = -1
	switch {
	case bytes.Equal(magic, lz4Legacy):
		f.old, f.max = true, lz4LegacyBlock
		return nil
	case !bytes.Equal(magic, lz4Magic):
		return f.pass()
	}
	b := f.in.in.peek(3)
	if len(b) < 3 {
		return f.short()
	}
	flags, size := b[0], 2
	if flags&lz4Size != 0 {
		size += 8
	}
	if flags&lz4Dictionary != 0 {
		size += 4
	}
	if b, err = f.in.take(size + 1); err != nil {
		return err
	}
	var sum xxh32
	sum.write(b[:size])
	block := b[1] >> 4 & 7
	switch {
	case flags>>6 != 1 || block < 4 || byte(sum.sum()>>8) != b[size]:
		return errLZ4
	case flags&lz4Dictionary != 0:
		return errors.New("it needs a dictionary; decompress it with lz4 -D first")
	}
	if flags&lz4Size != 0 {
		f.said = int64(binary.LittleEndian.Uint64(b[2:]))
	}
	f.max = 1 << (8 + 2*block)
	f.linked, f.sums, f.sum = flags&lz4Independent == 0, flags&lz4BlockSums != 0, flags&lz4Sum != 0
	return nil
}

// pass passes a skippable frame.
func (f *lz4Frame) pass() error {
	b, err := f.in.take(4)
	if err != nil {
		return err
	}
	size := int64(binary.LittleEndian.Uint32(b))
	if f.ended = true; f.in.in.discard(size) < size {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// short consumes what is too short to be anything.
func (f *lz4Frame) short() error {
	for f.in.in.drop() {
	}
	return io.ErrUnexpectedEOF
}

// Read implements io.Reader.
func (f *lz4Frame) Read(p []byte) (int, error) {
	for len(f.rest) == 0 {
		if f.ended {
			return 0, io.EOF
		}
		if err := f.block(); err != nil {
			return 0, err
		}
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

// block reads the next block, or what is at the end of the frame.
func (f *lz4Frame) block() error {
	head := f.in.in.peek(4)
	if f.old && (len(head) == 0 || f.codec.starts(head)) {
		f.ended = true
		return nil
	}
	if len(head) < 4 {
		return f.short()
	}
	n := binary.LittleEndian.Uint32(head)
	stored := !f.old && n>>31 == 1
	size := int(n &^ (1 << 31))
	switch {
	case n == 0 && !f.old:
		f.in.in.skip(4)
		return f.end()
	case size > f.max+f.max/255+16 || f.old && n>>31 == 1:
		if f.old { // nothing tells the end of such a frame from what follows it
			f.ended = true
			return nil
		}
		return errLZ4
	}
	f.in.in.skip(4)
	whole := size
	if f.sums {
		whole += 4
	}
	b, err := f.in.take(whole)
	if err != nil {
		return err
	}
	if f.sums {
		var sum xxh32
		if sum.write(b[:size]); sum.sum() != binary.LittleEndian.Uint32(b[size:]) {
			return errChecksum
		}
	}
	return f.decode(b[:size], stored)
}

// decode decodes a block behind the last octets of those before it.
func (f *lz4Frame) decode(b []byte, stored bool) error {
	c := f.codec
	if !f.linked || f.size == 0 {
		c.buf = c.buf[:0]
	} else if len(c.buf) > 2*lz4Window { // not for each block, which may be a few octets
		c.buf = c.buf[:copy(c.buf, c.buf[len(c.buf)-lz4Window:])]
	}
	before := len(c.buf)
	if stored {
		c.buf = append(c.buf, b...)
	} else {
		var ok bool
		if c.buf, ok = lz4Block(c.buf, b, before+f.max); !ok {
			return errLZ4
		}
	}
	f.rest = c.buf[before:]
	f.size += int64(len(f.rest))
	if f.sum {
		f.content.write(f.rest)
	}
	return nil
}

// end checks what is said of the whole content.
func (f *lz4Frame) end() error {
	f.ended = true
	if f.sum {
		b, err := f.in.take(4)
		switch {
		case err != nil:
			return err
		case binary.LittleEndian.Uint32(b) != f.content.sum():
			return errChecksum
		}
	}
	if f.said >= 0 && f.said != f.size {
		return errors.New("the content has another size than the header says")
	}
	return nil
}

// lz4Block decodes a block to the end of dst, up to a size of dst.
func lz4Block(dst, b []byte, limit int) ([]byte, bool) {
	for len(b) > 0 {
		token := b[0]
		literals, rest, ok := lz4Length(int(token>>4), b[1:])
		if !ok || literals > len(rest) || literals > limit-len(dst) {
			return dst, false
		}
		dst, b = append(dst, rest[:literals]...), rest[literals:]
		if len(b) == 0 {
			return dst, true
		}
		if len(b) < 2 {
			return dst, false
		}
		back := int(binary.LittleEndian.Uint16(b))
		size, rest, ok := lz4Length(int(token&15), b[2:])
		size += 4
		if !ok || back == 0 || back > len(dst) || size > limit-len(dst) {
			return dst, false
		}
		for b = rest; size > 0; {
			from := dst[len(dst)-back:]
			from = from[:min(len(from), size)]
			dst, size, back = append(dst, from...), size-len(from), back+len(from)
		}
	}
	return dst, false // the last sequence has no match
}

// lz4Length reads the rest of a length whose first part is full.
func lz4Length(n int, b []byte) (int, []byte, bool) {
	if n < 15 {
		return n, b, true
	}
	for i, c := range b {
		if n += int(c); c < 255 {
			return n, b[i+1:], true
		}
	}
	return 0, nil, false
}
