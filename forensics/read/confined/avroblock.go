package confined

import (
	"bytes"
	"compress/bzip2"
	"compress/flate"
	"errors"
	"io"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// errCodec means that blocks are compressed in a way that is not known here.
var errCodec = errors.New("unknown compression")

// unpackBlock decompresses a block of Avro. Of a damaged one it returns the bytes before the
// damage.
func unpackBlock(codec string, b []byte) ([]byte, error) {
	var r io.Reader
	switch codec {
	case "", "null":
		return b, nil
	case "deflate":
		r = flate.NewReader(bytes.NewReader(b))
	case "bzip2":
		r = bzip2.NewReader(bytes.NewReader(b))
	case "xz":
		x, err := xz.NewReader(bytes.NewReader(b))
		if err != nil {
			return nil, err
		}
		r = x
	case "zstandard":
		d, err := zstd.NewReader(bytes.NewReader(b), zstd.WithDecoderConcurrency(1),
			zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(mostBlock))
		if err != nil {
			return nil, err
		}
		defer d.Close()
		r = d
	case "snappy":
		const checksum = 4 // an event authenticates itself
		size, err := snappy.DecodedLen(b)
		if err != nil || size > mostBlock || len(b) < checksum {
			return nil, errors.Join(err, errors.New("no block of snappy"))
		}
		return snappy.Decode(nil, b[:len(b)-checksum])
	default:
		return nil, errCodec
	}
	out, err := io.ReadAll(io.LimitReader(r, mostBlock+1))
	if len(out) > mostBlock {
		return nil, errors.New("a block larger than the limit")
	}
	return out, err
}
