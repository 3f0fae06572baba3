package read

import (
	"bytes"
	"compress/bzip2"
	"io"
)

// What begins a stream of bzip2, and its first block or, of an empty one, its end.
var (
	bzip2Magic = []byte("BZh")
	bzip2Block = []byte("\x31\x41\x59\x26\x53\x59")
	bzip2End   = []byte("\x17\x72\x45\x38\x50\x90")
)

// bzip2Codec reads streams of bzip2. Streams that follow one another are one
// member: each needs a table of its own otherwise.
type bzip2Codec struct{ *reader }

func (bzip2Codec) starts(b []byte) bool { return bzip2Start(b) }
func (bzip2Codec) close()               {}

func (bzip2Codec) find(b []byte) int { return findStart(b, bzip2Magic, bzip2Start) }

// findStart returns where in b something begins that begins with magic.
func findStart(b, magic []byte, starts func([]byte) bool) int {
	for at := 0; ; at++ {
		i := bytes.Index(b[at:], magic)
		if i < 0 {
			return -1
		}
		if at += i; starts(b[at:]) {
			return at
		}
	}
}

func (c bzip2Codec) open(in *input) (io.Reader, error) {
	level := int64(in.peek(4)[3] - '0')
	if err := c.take(level * 4 * 100_000); err != nil {
		return nil, err
	}
	return bzip2.NewReader(&bzip2Source{in: in}), nil
}

func bzip2Start(b []byte) bool {
	return len(b) >= 10 && bytes.HasPrefix(b, bzip2Magic) && b[3] >= '1' && b[3] <= '9' &&
		(bytes.Equal(b[4:10], bzip2Block) || bytes.Equal(b[4:10], bzip2End))
}

// bzip2Source hands octets to the decoder one by one. The decoder takes what
// follows a stream for another one: it gets none of it unless it is one.
type bzip2Source struct {
	in   *input
	last [2]uint64 // the last 16 octets, the latest at the end
}

// Read implements io.Reader. The decoder uses ReadByte.
func (b *bzip2Source) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	c, err := b.ReadByte()
	if err != nil {
		return 0, err
	}
	p[0] = c
	return 1, nil
}

// ReadByte implements io.ByteReader.
func (b *bzip2Source) ReadByte() (byte, error) {
	if b.ended() && !bzip2Start(b.in.peek(10)) {
		return 0, io.EOF
	}
	c, err := b.in.ReadByte()
	if err == nil {
		b.last[0] = b.last[0]<<8 | b.last[1]>>56
		b.last[1] = b.last[1]<<8 | uint64(c)
	}
	return c, err
}

// ended reports whether the last octets are the end of a stream: its mark of 48
// bits, a checksum of 32, and at most 7 bits that fill the octet.
func (b *bzip2Source) ended() bool {
	const mark, bits = 0x177245385090, 1<<48 - 1
	for fill := range 8 {
		if (b.last[1]>>(32+fill)|b.last[0]<<(32-fill))&bits == mark {
			return true
		}
	}
	return false
}
