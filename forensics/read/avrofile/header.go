package avrofile

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/svc-edge/svc-verify/forensics/read/blocks"
)

// Magic begins every object container file.
const Magic = "Obj\x01"

// SyncSize is the size of the marker behind each block.
const SyncSize = 16

// Header is the header of a file.
type Header struct {
	Schema *Schema
	Codec  blocks.Codec
	Sync   [SyncSize]byte
	Size   int // of the header
}

// The errors of a header.
var (
	ErrShort  = errors.New("not whole")
	ErrHeader = errors.New("no header of an Avro file")
)

// codecs by their names in a header.
var codecs = map[string]blocks.Codec{"": blocks.None, "null": blocks.None, "deflate": blocks.Deflate,
	"snappy": blocks.Snappy, "zstandard": blocks.Zstd, "bzip2": blocks.Bzip2}

// ReadHeader reads the header that b begins with. It returns ErrShort if b ends within
// it.
func ReadHeader(b []byte) (Header, error) {
	if len(b) < len(Magic) || string(b[:len(Magic)]) != Magic {
		return Header{}, ErrHeader
	}
	var schema []byte
	var codec string
	d := decoder{b: b[len(Magic):]}
	for !d.bad {
		count := d.long()
		if count == 0 {
			break
		}
		if count < 0 {
			count = -count
			d.long()
		}
		for ; count > 0 && !d.bad; count-- {
			key := d.take(d.long())
			value := d.take(d.long())
			switch string(key) {
			case "avro.schema":
				schema = value
			case "avro.codec":
				codec = string(value)
			}
		}
	}
	h := Header{}
	copy(h.Sync[:], d.take(SyncSize))
	if d.bad {
		return h, ErrShort
	}
	h.Size = len(b) - len(d.b)
	known, ok := codecs[codec]
	if !ok {
		return h, fmt.Errorf("%w: the codec %.40q is not known here", ErrHeader, codec)
	}
	var err error
	h.Codec = known
	if h.Schema, err = parse(schema); err != nil {
		return h, fmt.Errorf("%w: %w", ErrHeader, err)
	}
	return h, nil
}

// ReadBlock reads the beginning of a block: how many values it has, the size of their
// octets, and its own size. ok is false if b has none.
func ReadBlock(b []byte) (count, size int64, n int, ok bool) {
	count, n = binary.Varint(b)
	if n <= 0 || count < 0 {
		return 0, 0, 0, false
	}
	size, more := binary.Varint(b[n:])
	return count, size, n + more, more > 0 && size >= 0
}

// Decode decompresses the octets of a block. The checksum behind those of Snappy is
// passed over: an event authenticates itself.
func (h *Header) Decode(d *blocks.Decoder, dst, b []byte) ([]byte, error) {
	if h.Codec == blocks.Snappy {
		const checksum = 4
		if len(b) < checksum {
			return dst, blocks.ErrDamaged
		}
		b = b[:len(b)-checksum]
	}
	return d.Decode(dst, h.Codec, b)
}
