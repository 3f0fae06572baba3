package read

import (
	"bytes"
	"errors"
	"fmt"

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

// avro reads the values of Avro files. Behind damage it goes on at the next marker.
func (s *stream) avro() error {
	a := &avro{stream: s, table: s.table("avro", Avro), decoder: blocks.Decoder{Limit: s.limits.Unit}}
	defer a.decoder.Close()
	for s.ctx.Err() == nil {
		var err error
		switch head := s.in.peek(len(avrofile.Magic)); {
		case len(head) == 0:
			return nil
		case string(head) == avrofile.Magic:
			if ok, err := a.readHeader(); !ok || err != nil {
				return err
			}
		default:
			err = a.next()
		}
		if err != nil {
			return err
		}
	}
	return s.ctx.Err()
}

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

// next reads a block.
func (a *avro) next() error {
	const lengths = 20
	count, size, n, ok := avrofile.ReadBlock(a.in.peek(lengths))
	if !ok {
		return a.search("no length of a block")
	}
	if size > int64(a.limits.Unit) {
		return a.search("a block " + a.limitText())
	}
	b := a.in.peek(n + int(size) + avrofile.SyncSize)
	whole := len(b) == n+int(size)+avrofile.SyncSize
	if whole && string(b[n+int(size):]) != string(a.header.Sync[:]) {
		return a.search("a block without its marker")
	}
	at := a.in.offset
	before := a.table.n
	data := b[n:min(len(b), n+int(size))]
	left, err := a.values(data, count)
	if err != nil {
		return err
	}
	place := Place{Container: a.container, Offset: at, Length: int64(len(b))}
	switch read := a.table.n - before; {
	case !whole:
		err = a.damaged(place, left, finding.SourceTruncated,
			fmt.Sprintf("the file ends within a block of %d values, of which %d are whole", count, read))
	case read < count:
		err = a.damaged(place, left, finding.SourceUnparseable,
			fmt.Sprintf("a block of %d values, of which %d could be read", count, read))
	}
	a.in.skip(len(b))
	a.followed(at)
	return err
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
	return a.skip(Skip{Place: at, Code: code, Detail: why, Excerpt: left, Block: true})
}

// search skips to behind the next marker.
func (a *avro) search(why string) error {
	at := a.in.offset
	skip := Skip{Code: finding.SourceUnparseable, Detail: "damage in an Avro file: " + why}
	skip.Excerpt = append(skip.Excerpt, a.in.peek(excerptSize)...)
	marker := a.header.Sync[:]
	if a.seek(len(marker), func(b []byte) int { return bytes.Index(b, marker) }) {
		a.in.skip(avrofile.SyncSize)
	}
	skip.Place = Place{Container: a.container, Offset: at, Length: a.in.offset - at}
	a.followed(at)
	return a.skip(skip)
}
