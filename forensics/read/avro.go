package read

import (
	"errors"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/read/avrofile"
	"github.com/svc-edge/svc-verify/forensics/read/blocks"
)

// avro is a stream of object container files, one after the other.
type avro struct {
	*stream
	header  avrofile.Header
	table   *table
	decoder blocks.Decoder
	block   []byte // decompressed
}

// mostHeader bounds the header of a file, which has its schema.
const mostHeader = 4 << 20

// readHeader reads a header. If it is not understood, the stream is skipped.
func (a *avro) readHeader() (ok bool, err error) {
	var h avrofile.Header
	for size := firstWindow; ; size *= 2 {
		b := a.in.peek(size)
		a.look(len(b))
		if h, err = avrofile.ReadHeader(b); !errors.Is(err, avrofile.ErrShort) {
			break
		}
		if len(b) < size {
			return false, a.rest(finding.SourceTruncated, "the file ends within the header of an Avro file")
		}
		if size > mostHeader {
			break
		}
	}
	if err != nil {
		return false, a.rest(finding.SourceUnparseable, "the header of an Avro file: "+err.Error())
	}
	at := a.in.offset
	a.in.skip(h.Size)
	a.followed(at)
	a.header = h
	return true, nil
}

// values hands on the values of a block, as far as they can be read, and returns what
// is left of it.
func (a *avro) values(data []byte, count int64) (left []byte, err error) {
	b, wrong := a.header.Decode(&a.decoder, a.block[:0], data)
	if errors.Is(wrong, blocks.ErrLimit) {
		return data, nil
	}
	a.block = b
	a.expanded(len(b))
	for ; count > 0; count-- {
		rest, wrong := a.header.Schema.Value(b, &a.table.row, a.limits.Unit)
		if wrong != nil {
			return b, nil
		}
		b = rest
		if err := a.table.add(); err != nil {
			return b, err
		}
	}
	return b, nil
}

// damaged reports a block that could not be read to its end.
func (a *avro) damaged(at Place, left []byte, code finding.Code, why string) error {
	return a.skip(Skip{Place: at, Code: code, Detail: why, Excerpt: left})
}
