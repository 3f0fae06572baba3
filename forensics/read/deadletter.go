package read

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"

	"github.com/svc-edge/svc-verify/finding"
)

// A segment of Logstash's dead letter queue is a version and blocks of 32 KiB with
// records. A record is a whole event, or the start, the middle or the end of one; its
// type, its size, the size of the event and a checksum are before it. What does not
// fit into a block is zeros (RecordIOWriter).
const (
	letterVersion = '1'
	letterBlock   = 32 << 10
	letterHeader  = 13
)

// letter returns the size of the record that b begins with, 0 if there is none.
func letter(b []byte) int {
	if len(b) < letterHeader || bytes.IndexByte([]byte("csme"), b[0]) < 0 {
		return 0
	}
	size := int64(binary.BigEndian.Uint32(b[1:]))
	if size == 0 || size > letterBlock-letterHeader {
		return 0
	}
	return letterHeader + int(size)
}

// letterHolds reports whether the checksum of a record is right.
func letterHolds(record []byte) bool {
	return crc32.ChecksumIEEE(record[letterHeader:]) == binary.BigEndian.Uint32(record[9:])
}

// isLetters reports whether a stream begins as a segment, with a record whose
// checksum is right.
func isLetters(b []byte) bool {
	if len(b) == 0 || b[0] != letterVersion {
		return false
	}
	n := letter(b[1:])
	return n > 0 && n < len(b) && letterHolds(b[1:1+n])
}

// letters reads a segment: the contents of its records, one after the other.
func (s *stream) letters() error {
	start, before := s.in.offset, s.consumed
	s.in.skip(len(s.in.peek(1)))
	r := &letterReader{in: s.in, from: s.in.offset}
	if err := s.within("records", r); err != nil {
		return err
	}
	s.passed(start, before)
	if r.fault == nil {
		return nil
	}
	return s.skip(Skip{Place: Place{Container: s.container, Offset: r.at, Length: r.length}, Code: r.fault.code,
		Detail: r.fault.text})
}

// letterReader reads the contents of records. Behind damage it goes on with the next
// block.
type letterReader struct {
	in   *input
	from int64 // where the first block begins
	left []byte
	size int // of the record that is read

	fault      *fault // the first one
	at, length int64
}

// Read implements io.Reader.
func (l *letterReader) Read(p []byte) (int, error) {
	for len(l.left) == 0 {
		if !l.next() {
			return 0, io.EOF
		}
	}
	n := copy(p, l.left)
	if l.left = l.left[n:]; len(l.left) == 0 {
		l.in.skip(l.size)
	}
	return n, nil
}

// next goes to the next record, or past what is none. It returns false at the end.
func (l *letterReader) next() bool {
	room := letterBlock - int((l.in.offset-l.from)%letterBlock)
	b := l.in.peek(room)
	n := letter(b)
	switch {
	case len(b) == 0:
		return false
	case n > 0 && n <= len(b) && letterHolds(b[:n]):
		l.size, l.left = n, b[letterHeader:n]
		return true
	case len(bytes.Trim(b, "\x00")) == 0:
	case len(b) < room && (n > len(b) || len(b) < letterHeader):
		l.wrong(b, finding.SourcePartialTail, "the file ends within a record")
	default:
		l.wrong(b, finding.SourceUnparseable, "no record, or one whose checksum is wrong, up to the end of a block")
	}
	l.in.skip(len(b))
	return true
}

// wrong remembers the first fault.
func (l *letterReader) wrong(b []byte, code finding.Code, text string) {
	if l.fault == nil {
		l.fault, l.at, l.length = &fault{code, 0, text}, l.in.offset, int64(len(b))
	}
}
