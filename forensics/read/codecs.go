package read

import (
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"io"

	"github.com/klauspost/compress/snappy"
	"github.com/pierrec/lz4/v4"
)

// codec is one kind of compression.
type codec struct {
	format Format
	why    string // a stream is taken for it

	// begins reports whether a member begins with b. It needs at most headerSize bytes.
	// It also finds the next member behind damage.
	begins func(b []byte) bool

	skips  bool // frames that only have a length can stand between members
	hidden bool // begins accepts too much: no member is looked for behind damage

	// open opens one member, which it reads to its end and no further. It may use the
	// reader of the member before again, which is nil for the first.
	open func(r *reader, in *input, before io.Reader) (io.Reader, error)
}

// codecs are the kinds of compression that are read. The type [members] checks each of them
// against the limits.
var codecs = []*codec{
	{format: Gzip, why: "begins with 1f 8b 08", begins: beginsWith(gzipMagic), open: openGzip},
	zstdCodec,
	{format: Bzip2, why: "begins with BZh and the mark of a block", begins: bzip2Start, open: openBzip2},
	{format: XZ, why: "begins with the magic number of xz", begins: beginsWith(xzMagic), open: openXZ},
	{format: Zlib, why: "begins as zlib does, and its first octets decode", begins: zlibStart, hidden: true,
		open: inflateBy(openZlib)},
	{format: LZ4, why: "begins with the magic number of an LZ4 frame", begins: lz4Start, skips: true, open: openLZ4},
	{format: Snappy, why: "begins with the chunk that begins snappy frames", begins: beginsWith(snappyMagic),
		open: openSnappy},
	{format: Deflate, why: "is no text, and its first octets decode to text", begins: deflateStart, hidden: true,
		open: inflateBy(openDeflate)},
}

var zstdCodec = &codec{format: Zstd, why: "begins with the magic number of a zstd frame", begins: beginsWith(zstdMagic),
	skips: true, open: openZstd}

// starts reports whether a member, or a frame that may stand before one, begins with b.
func (c *codec) starts(b []byte) bool { return c.begins(b) || c.skips && isSkippable(b) }

// findMember returns where in b a member seems to begin, -1 if none does.
func (c *codec) findMember(b []byte) int {
	if c.hidden {
		return -1
	}
	return firstStart(b, c.begins)
}

// firstStart returns where in b something begins, -1 if nothing does.
func firstStart(b []byte, begins func([]byte) bool) int {
	for at := range b {
		if begins(b[at:]) {
			return at
		}
	}
	return -1
}

// unreadable is the reason why data that is not damaged cannot be read.
type unreadable struct{ why, help string }

func (u unreadable) Error() string { return u.why }

// source feeds a decoder that reads beyond the end of a member. The bytes of its last
// read can be given back.
type source struct {
	in    *input
	last  int  // bytes of the last read
	ended bool // the decoder asked for more than there is
}

// Read implements io.Reader. It fills p unless p is larger than a window or the stream
// ends.
func (s *source) Read(p []byte) (int, error) {
	n := copy(p, s.in.peekBytes(min(len(p), firstWindow)))
	s.in.skipBytes(n)
	if s.last = n; n == 0 && len(p) > 0 {
		s.ended = true
		return 0, io.EOF
	}
	return n, nil
}

// giveBack gives back the bytes of the last read, and returns io.EOF.
func (s *source) giveBack() error {
	s.in.unreadBytes(s.last)
	s.last = 0
	return io.EOF
}

func openGzip(_ *reader, in *input, before io.Reader) (io.Reader, error) {
	z, ok := before.(*gzip.Reader)
	if !ok {
		z = new(gzip.Reader)
	}
	err := z.Reset(in)
	z.Multistream(false)
	return z, err
}

// The beginnings of a stream of bzip2, and of its first block or, in an empty one, of its end.
const (
	bzip2Magic = "BZh"
	bzip2Block = "\x31\x41\x59\x26\x53\x59"
	bzip2End   = "\x17\x72\x45\x38\x50\x90"
)

func bzip2Start(b []byte) bool {
	return len(b) >= 10 && string(b[:3]) == bzip2Magic && b[3] >= '1' && b[3] <= '9' &&
		(string(b[4:10]) == bzip2Block || string(b[4:10]) == bzip2End)
}

// openBzip2 opens streams that follow one another as one member: each needs a table of
// its own otherwise.
func openBzip2(r *reader, in *input, _ io.Reader) (io.Reader, error) {
	level := int64(in.peekBytes(4)[3] - '0')
	if err := r.noteMemory(level * 4 * 100_000); err != nil {
		return nil, err
	}
	return bzip2.NewReader(&bzip2Source{in: in}), nil
}

// bzip2Source hands bytes to the decoder one by one. The decoder reads the bytes after a
// stream as another one: it gets none of them unless they are one.
type bzip2Source struct {
	in   *input
	last [2]uint64 // the last 16 bytes, the latest at the end
}

// Read implements io.Reader. The decoder uses ReadByte.
func (b *bzip2Source) Read([]byte) (int, error) { return 0, io.ErrNoProgress }

// ReadByte implements io.ByteReader.
func (b *bzip2Source) ReadByte() (byte, error) {
	if b.atStreamEnd() && !bzip2Start(b.in.peekBytes(10)) {
		return 0, io.EOF
	}
	c, err := b.in.ReadByte()
	if err == nil {
		b.last[0] = b.last[0]<<8 | b.last[1]>>56
		b.last[1] = b.last[1]<<8 | uint64(c)
	}
	return c, err
}

// atStreamEnd reports whether the last bytes are the end of a stream: its mark of 48
// bits, a checksum of 32, and at most 7 bits that fill the byte.
func (b *bzip2Source) atStreamEnd() bool {
	const mark, bits = 0x177245385090, 1<<48 - 1
	for fill := range 8 {
		if (b.last[1]>>(32+fill)|b.last[0]<<(32-fill))&bits == mark {
			return true
		}
	}
	return false
}

// snappyMagic is the chunk that begins a stream of snappy frames.
const snappyMagic = "\xff\x06\x00\x00sNaPpY"

func openSnappy(_ *reader, in *input, before io.Reader) (io.Reader, error) {
	s, ok := before.(*snappyReader)
	if !ok {
		s = &snappyReader{decoder: snappy.NewReader(nil)}
	}
	s.source = source{in: in}
	s.decoder.Reset(&s.source)
	return s, nil
}

// snappyReader reads a stream of snappy frames.
type snappyReader struct {
	source
	decoder *snappy.Reader
}

// Read implements io.Reader. Data that can be no chunk ends the stream, and so do zeros.
func (s *snappyReader) Read(p []byte) (int, error) {
	const head = 4 // of a chunk
	n, err := s.decoder.Read(p)
	corrupt := errors.Is(err, snappy.ErrCorrupt)
	switch {
	case s.ended && corrupt:
		err = io.ErrUnexpectedEOF
	case errors.Is(err, snappy.ErrUnsupported):
		err = s.giveBack()
	case corrupt && s.last == head:
		if end := s.giveBack(); bytes.Equal(s.in.peekBytes(head), make([]byte, head)) {
			err = end
		}
	}
	return n, err
}

// The beginnings of a frame of LZ4, and of one of its first format.
const (
	lz4Magic  = "\x04\x22\x4d\x18"
	lz4Legacy = "\x02\x21\x4c\x18"
)

func lz4Start(b []byte) bool {
	return len(b) >= 4 && (string(b[:4]) == lz4Magic || string(b[:4]) == lz4Legacy)
}

func openLZ4(_ *reader, in *input, before io.Reader) (io.Reader, error) {
	const dictionary = 1
	z, ok := before.(*lz4Reader)
	if !ok {
		z = &lz4Reader{decoder: lz4.NewReader(nil)}
	}
	head := in.peekBytes(5)
	z.source, z.legacy, z.begun = source{in: in}, bytes.HasPrefix(head, []byte(lz4Legacy)), false
	z.decoder.Reset(lz4Source{z})
	if len(head) == 5 && string(head[:4]) == lz4Magic && head[4]&dictionary != 0 {
		return z, unreadable{"it needs a dictionary", "lz4 -D DICTIONARY -dc FILE"}
	}
	return z, nil
}

// lz4Reader reads one frame.
type lz4Reader struct {
	source
	decoder *lz4.Reader
	legacy  bool // of the first format, which has no end and no checksums
	begun   bool
}

// Read implements io.Reader. Data that can be no frame, and no block of the first format, ends
// the frame.
func (z *lz4Reader) Read(p []byte) (int, error) {
	n, err := z.decoder.Read(p)
	if errors.Is(err, lz4.ErrInvalidFrame) || z.legacy && errors.Is(err, lz4.ErrOptionInvalidBlockSize) {
		err = z.giveBack()
	}
	return n, err
}

// lz4Source hands out one frame. The decoder would continue with the next one, whose
// first four bytes it reads alone.
type lz4Source struct{ z *lz4Reader }

// Read implements io.Reader.
func (s lz4Source) Read(p []byte) (int, error) {
	if len(p) == 4 && lz4Start(s.z.in.peekBytes(4)) {
		if s.z.begun {
			return 0, io.EOF
		}
		s.z.begun = true
	}
	return s.z.source.Read(p)
}
