// Package blocks decompresses the blocks that formats of tables have: each is whole in
// memory, and has a limit.
package blocks

import (
	"bytes"
	"compress/bzip2"
	"compress/flate"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
)

// Codec is a kind of compression.
type Codec string

// The codecs that are known. LZ4 is a bare block of it, without a frame.
const (
	None    Codec = "none"
	Snappy  Codec = "snappy"
	Gzip    Codec = "gzip"
	Deflate Codec = "deflate"
	Bzip2   Codec = "bzip2"
	Zstd    Codec = "zstd"
	LZ4     Codec = "lz4"
)

// The errors of blocks.
var (
	ErrLimit   = errors.New("a block larger than the limit")
	ErrDamaged = errors.New("a damaged block")
	ErrCodec   = errors.New("compressed in a way that is not known here")
)

// Decoder decompresses one block after the other. Close it.
type Decoder struct {
	Limit int // octets of a block that is decompressed

	zstd *zstd.Decoder
}

// Close gives back what the decoder holds.
func (d *Decoder) Close() {
	if d.zstd != nil {
		d.zstd.Close()
	}
}

// Decode appends what a block has to dst, which it may replace. It returns ErrLimit if
// that is more than the limit. No more memory is taken than a few times that. Of a
// damaged block it returns what was decoded before the damage, if the codec allows.
// What others decode may panic; that is damage.
func (d *Decoder) Decode(dst []byte, c Codec, src []byte) (out []byte, err error) {
	limit := d.Limit
	defer func() {
		if fault := recover(); fault != nil {
			out, err = dst, fmt.Errorf("%w: the decoder gave up", ErrDamaged)
		}
	}()
	switch c {
	case None:
		if len(src) > limit {
			return dst, ErrLimit
		}
		return append(dst, src...), nil
	case Snappy:
		return snappyBlock(dst, src, limit)
	case LZ4:
		return lz4Block(dst, src, limit)
	case Zstd:
		return d.zstdBlock(dst, src)
	case Gzip:
		r, err := gzip.NewReader(bytes.NewReader(src))
		if err != nil {
			return dst, damaged(err)
		}
		return all(dst, r, limit)
	case Deflate:
		return all(dst, flate.NewReader(bytes.NewReader(src)), limit)
	case Bzip2:
		return all(dst, bzip2.NewReader(bytes.NewReader(src)), limit)
	}
	return dst, fmt.Errorf("%w: %s", ErrCodec, c)
}

func damaged(err error) error { return fmt.Errorf("%w: %w", ErrDamaged, err) }

// all appends what r has, up to the limit.
func all(dst []byte, r io.Reader, limit int) ([]byte, error) {
	start := len(dst)
	for {
		if len(dst) == cap(dst) {
			dst = append(dst, 0)[:len(dst)]
		}
		n, err := r.Read(dst[len(dst):cap(dst)])
		switch dst = dst[:len(dst)+n]; {
		case len(dst)-start > limit:
			return dst[:start], ErrLimit
		case err == io.EOF:
			return dst, nil
		case err != nil:
			return dst, damaged(err)
		}
	}
}

func snappyBlock(dst, src []byte, limit int) ([]byte, error) {
	size, err := snappy.DecodedLen(src)
	switch {
	case err != nil:
		return dst, damaged(err)
	case size > limit:
		return dst, ErrLimit
	case size/64 > len(src): // a copy of two or three octets makes 64
		return dst, fmt.Errorf("%w: shorter than it says", ErrDamaged)
	}
	out, err := snappy.Decode(nil, src)
	if err != nil {
		return dst, damaged(err)
	}
	return append(dst, out...), nil
}

// leastWindow is what a decoder of zstd admits at least.
const leastWindow = 1 << 20

func (d *Decoder) zstdBlock(dst, src []byte) ([]byte, error) {
	if d.zstd == nil {
		var err error
		d.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxMemory(uint64(max(d.Limit, leastWindow))), zstd.WithDecodeAllCapLimit(false))
		if err != nil {
			return dst, damaged(err)
		}
	}
	out, err := d.zstd.DecodeAll(src, dst)
	switch {
	case errors.Is(err, zstd.ErrDecoderSizeExceeded), errors.Is(err, zstd.ErrWindowSizeExceeded),
		len(out)-len(dst) > d.Limit:
		return dst, ErrLimit
	case err != nil:
		return dst, damaged(err)
	}
	return out, nil
}

// lz4Block decodes a block of LZ4: sequences of literals and of matches with what was
// decoded before.
func lz4Block(dst, src []byte, limit int) ([]byte, error) {
	start := len(dst)
	for len(src) > 0 {
		token := src[0]
		literals, rest, ok := lz4Length(src[1:], int(token>>4))
		if !ok || literals > len(rest) {
			return dst, ErrDamaged
		}
		if len(dst)-start+literals > limit {
			return dst, ErrLimit
		}
		dst = append(dst, rest[:literals]...)
		if src = rest[literals:]; len(src) == 0 {
			return dst, nil // the last sequence has no match
		}
		if len(src) < 2 {
			return dst, ErrDamaged
		}
		offset := int(binary.LittleEndian.Uint16(src))
		length, rest, ok := lz4Length(src[2:], int(token&15))
		const least = 4
		length += least
		switch {
		case !ok || offset == 0 || offset > len(dst)-start:
			return dst, ErrDamaged
		case len(dst)-start+length > limit:
			return dst, ErrLimit
		}
		for range length { // a match may overlap what it makes
			dst = append(dst, dst[len(dst)-offset])
		}
		src = rest
	}
	return dst, nil
}

// lz4Length reads a length, of which the token has the first four bits.
func lz4Length(src []byte, length int) (int, []byte, bool) {
	if length < 15 {
		return length, src, true
	}
	for i, c := range src {
		if length += int(c); c < 255 {
			return length, src[i+1:], true
		}
	}
	return 0, nil, false
}
