package read

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"
)

// openZstd opens a frame of zstd (RFC 8878), or one that is skipped.
func openZstd(_ *reader, in *input, before io.Reader) (_ io.Reader, err error) {
	c, ok := before.(*zstdContent)
	if !ok {
		c = new(zstdContent)
		c.decoder, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(MostWindow))
		if err != nil {
			return nil, err
		}
	}
	c.digest, c.frame = *xxhash.New(), &zstdReader{parts: parts{in: in}}
	c.frame.next = c.frame.findHeader
	return c, c.decoder.Reset(c.frame)
}

var errChecksum = errors.New("wrong checksum")

// zstdContent is the content of a frame. It checks the checksum itself, since the decoder
// would keep back the content of a frame whose checksum is wrong.
type zstdContent struct {
	decoder *zstd.Decoder
	frame   *zstdReader
	digest  xxhash.Digest
}

// Read implements io.Reader.
func (c *zstdContent) Read(p []byte) (int, error) {
	n, err := c.decoder.Read(p)
	// A digest accepts everything.
	_, _ = c.digest.Write(p[:n])
	switch {
	case err == io.EOF && c.frame.sum:
		err = c.readChecksum()
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		err = fmt.Errorf("%w: %w", errMemory, err)
	case errors.Is(err, zstd.ErrUnknownDictionary):
		err = unreadable{"it needs a dictionary", "zstd -D DICTIONARY -dc FILE"}
	}
	return n, err
}

// readChecksum reads the last part of the frame, and returns io.EOF if it is right.
func (c *zstdContent) readChecksum() error {
	b := bytes.Clone(c.frame.in.peekBytes(4))
	c.frame.in.skipBytes(len(b))
	switch {
	case len(b) < 4:
		return io.ErrUnexpectedEOF
	case uint32(c.digest.Sum64()) != binary.LittleEndian.Uint32(b):
		return errChecksum
	}
	return io.EOF
}

// zstdReader passes on the bytes of one frame and no more, so that the data after the frame is
// known. It follows the structure of RFC 8878, section 3.1.1, and leaves the contents to the
// decoder. The checksum stays behind.
type zstdReader struct {
	parts
	done int64 // bytes that were passed on
	sum  bool  // a checksum comes at the end
}

// The byte of a frame that describes its header, and the bit in it for the
// checksum.
const (
	descriptor  = 4
	checksumBit = 1 << 2
)

// findHeader finds the length of the frame header, or of a whole skippable frame.
func (z *zstdReader) findHeader() error {
	b := z.in.peekBytes(8)
	switch {
	case len(b) < 8: // no frame is shorter
		z.left, z.next = int64(len(b)), nil
		return nil
	case !bytes.HasPrefix(b, zstdMagic):
		z.left, z.next = 8+int64(binary.LittleEndian.Uint32(b[4:])), noMore
		return nil
	}
	d := b[descriptor]
	single := d>>5&1 == 1
	z.sum, z.next = d&checksumBit != 0, z.findBlock
	z.left = 4 + 1 + []int64{0, 1, 2, 4}[d&3] + []int64{0, 2, 4, 8}[d>>6]
	if !single || d>>6 == 0 {
		z.left++ // a window descriptor, or a content size of one byte
	}
	return nil
}

// Read implements io.Reader.
func (z *zstdReader) Read(p []byte) (int, error) {
	n, err := z.parts.Read(p)
	if at := descriptor - z.done; z.sum && at >= 0 && at < int64(n) {
		p[at] &^= checksumBit
	}
	z.done += int64(n)
	return n, err
}

// findBlock finds the next block.
func (z *zstdReader) findBlock() error {
	b := z.in.peekBytes(3)
	if len(b) < 3 {
		return io.ErrUnexpectedEOF
	}
	head := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16
	if head&1 == 1 {
		z.next = noMore
	}
	z.left = 3 + int64(head>>3)
	if head>>1&3 == 1 {
		z.left = 3 + 1 // a run of one byte
	}
	return nil
}
