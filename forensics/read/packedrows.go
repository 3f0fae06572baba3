package read

import (
	"bytes"
	"encoding/binary"
	"errors"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/read/packed"
	"github.com/svc-edge/svc-verify/forensics/read/rows"
)

// The beginnings of files that have documents in them: of an archive of mongodump, and
// of a chunk of fluent-bit.
var (
	mongoArchive = []byte{0x6d, 0xe2, 0x99, 0x81}
	mongoEnd     = []byte{0xff, 0xff, 0xff, 0xff} // of the documents of one collection there
	fluentChunk  = []byte{0xc1, 0x00}
)

// bsonStart reports whether b begins with documents of BSON. Of the first one, as much
// as is there has to be sound.
func bsonStart(b []byte) bool {
	b = bytes.TrimPrefix(b, mongoArchive)
	const mostDocument = 48 << 20
	size, ok := packed.BSONSize(b)
	if !ok || size > mostDocument || len(b) < 7 || !bsonMember(b) {
		return false
	}
	var row rows.Text
	_, err := packed.BSON(b, &row)
	return soundStart(b, err)
}

// soundStart reports whether octets begin with a document, by what came of reading it:
// it is whole, or is larger than what is looked at. Short octets begin as one does by
// chance, such as a signature.
func soundStart(b []byte, err error) bool {
	const enough = sniffSize - 64<<10 // behind the header of a chunk
	return err == nil || errors.Is(err, packed.ErrShort) && len(b) >= enough
}

// bsonMember reports whether a document begins with a member with a plain name.
func bsonMember(b []byte) bool {
	const longest = 64
	end := bytes.IndexByte(b[5:min(len(b), 5+longest)], 0)
	return b[4] >= 1 && b[4] <= 0x13 && end > 0 && isPrintable(b[5:5+end])
}

// msgpackStart reports whether b begins with the record of a collector in MessagePack,
// or with a chunk of such records.
func msgpackStart(b []byte) bool {
	if n := chunkHeader(b); n > 0 {
		b = b[n:]
	}
	if !packed.IsRecord(b) {
		return false
	}
	var row rows.Text
	_, err := packed.MessagePack(b, &row, 8*sniffSize)
	return soundStart(b, err)
}

// chunkHeader returns the size of the header of a chunk of fluent-bit, 0 if b begins
// with none: a checksum, and what the chunk is about, with its length.
func chunkHeader(b []byte) int {
	const lengthAt, fixed = 22, 24
	if len(b) < fixed || !bytes.HasPrefix(b, fluentChunk) {
		return 0
	}
	size := fixed + int(binary.BigEndian.Uint16(b[lengthAt:]))
	if size > len(b) {
		return 0
	}
	return size
}

// documents reads documents, one after the other.
type documents struct {
	*stream
	table *table
	what  string
	next  func([]byte) (int, error)
	pass  func([]byte) int // returns the size of what stands between documents
}

// bson reads documents of BSON, as mongodump writes them.
func (s *stream) bson() error {
	if bytes.HasPrefix(s.in.peek(len(mongoArchive)), mongoArchive) {
		s.in.skip(len(mongoArchive))
	}
	d := &documents{stream: s, table: s.table("bson", BSON), what: "BSON"}
	d.next = func(b []byte) (int, error) {
		if size, ok := packed.BSONSize(b); ok && size > d.limits.Unit {
			return 0, packed.ErrDamaged
		}
		return packed.BSON(b, &d.table.row)
	}
	d.pass = func(b []byte) int {
		if bytes.HasPrefix(b, mongoEnd) {
			return len(mongoEnd)
		}
		return 0
	}
	return d.read()
}

// messagePack reads records in MessagePack, as fluentd and fluent-bit keep them.
func (s *stream) messagePack() error {
	s.in.skip(chunkHeader(s.in.peek(sniffSize)))
	d := &documents{stream: s, table: s.table("msgpack", MessagePack), what: "MessagePack"}
	d.next = func(b []byte) (int, error) { return packed.MessagePack(b, &d.table.row, d.limits.Unit) }
	d.pass = func(b []byte) int { return len(b) - len(bytes.TrimLeft(b, "\x00")) } // room at the end of a chunk
	return d.read()
}

// read reads documents to the end, or to the first that is damaged: nothing says where
// the next one begins. The rest is searched as octets.
func (d *documents) read() error {
	start := d.in.offset
	for size := firstWindow; d.ctx.Err() == nil; {
		b := d.in.peek(size)
		if n := d.pass(b); n > 0 {
			d.in.skip(n)
			continue
		}
		if len(b) == 0 {
			break
		}
		n, err := d.next(b)
		d.look(max(n, 1))
		switch {
		case err == nil:
			d.in.skip(n)
			d.followed(start)
			start = d.in.offset
			if err := d.table.add(); err != nil {
				return err
			}
			size = firstWindow
			continue
		case errors.Is(err, packed.ErrShort) && len(b) == size && size <= d.limits.Unit:
			d.look(len(b))
			size *= 4
			continue
		}
		d.followed(start)
		code, why := finding.SourceUnparseable, "damage in "+d.what
		if errors.Is(err, packed.ErrShort) && len(b) < size {
			code, why = finding.SourceTruncated, "the file ends within a document of "+d.what
		}
		if err := d.note(d.in.offset, code, why); err != nil {
			return err
		}
		return d.octets("behind damage in " + d.what)
	}
	d.followed(start)
	return d.ctx.Err()
}
