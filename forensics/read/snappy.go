package read

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/snappy"
)

// snappyMagic is the chunk that begins a stream of snappy frames.
var snappyMagic = []byte("\xff\x06\x00\x00sNaPpY")

// What a chunk of snappy holds at most.
const (
	snappyContent = 64 << 10
	snappyChunk   = 4 + 76490
)

var errChunk = errors.New("a chunk is damaged")

// snappyCodec reads snappy's framing format. Chunks stand for themselves: behind
// one that is damaged it goes on with the next.
type snappyCodec struct {
	within bool // a stream, behind a damaged chunk
	buf    []byte
}

func (c *snappyCodec) close() {}

func (c *snappyCodec) starts(b []byte) bool {
	if bytes.HasPrefix(b, snappyMagic) {
		return true
	}
	kind, size, ok := snappyHead(b)
	return c.within && ok && kind <= 1 && size <= snappyChunk
}

func (c *snappyCodec) find(b []byte) int {
	if c.starts(b) {
		return 0
	}
	c.within = false
	return bytes.Index(b, snappyMagic)
}

func (c *snappyCodec) open(in *input) (io.Reader, error) {
	c.within = false
	return &snappyStream{codec: c, in: &counting{in: in}}, nil
}

// snappyHead reads the head of a chunk.
func snappyHead(b []byte) (kind byte, size int, ok bool) {
	if len(b) < 4 {
		return 0, 0, false
	}
	return b[0], int(binary.LittleEndian.Uint32(b) >> 8), true
}

// snappyStream reads chunks.
type snappyStream struct {
	codec *snappyCodec
	in    *counting
	rest  []byte // of the content of a chunk
}

// Read implements io.Reader.
func (s *snappyStream) Read(p []byte) (int, error) {
	for len(s.rest) == 0 {
		if err := s.chunk(); err != nil {
			return 0, err
		}
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// chunk reads the next chunk. What can be none ends the stream.
func (s *snappyStream) chunk() error {
	b := s.in.in.peek(4)
	kind, size, ok := snappyHead(b)
	switch {
	case !ok && len(b) > 0:
		return io.ErrUnexpectedEOF
	case !ok || kind >= 2 && kind <= 0x7f || kind <= 1 && size > snappyChunk:
		return io.EOF
	case kind == 0xff:
		if !bytes.Equal(s.in.in.peek(len(snappyMagic)), snappyMagic) {
			return io.EOF
		}
	}
	s.in.in.skip(4)
	if kind > 1 {
		if s.in.in.discard(int64(size)) < int64(size) {
			return io.ErrUnexpectedEOF
		}
		return nil
	}
	body, err := s.in.take(size)
	if err == nil {
		err = s.content(kind, body)
		s.codec.within = err != nil
	}
	return err
}

// content decodes a chunk of data, and checks it.
func (s *snappyStream) content(kind byte, body []byte) error {
	if len(body) < 4 {
		return errChunk
	}
	data := body[4:]
	if kind == 0 {
		n, err := snappy.DecodedLen(data)
		if err != nil || n > snappyContent {
			return errChunk
		}
		if err := contained(func() (err error) {
			s.codec.buf, err = snappy.Decode(s.codec.buf[:cap(s.codec.buf)], data)
			return err
		}); err != nil {
			return errChunk
		}
		data = s.codec.buf
	} else if len(data) > snappyContent {
		return errChunk
	}
	sum := crc32.Checksum(data, castagnoli)
	if binary.LittleEndian.Uint32(body) != (sum>>15|sum<<17)+0xa282ead8 {
		return errChecksum
	}
	s.rest = data
	return nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)
