package read

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"github.com/svc-edge/svc-verify/finding"
)

// prefixSize is the size of a length, which is big-endian.
const prefixSize = 4

// protoFrames reads messages in protobuf that each have their length before them.
func (s *stream) protoFrames() error {
	r := framing{stream: s, good: protoFrame}
	return s.eachPart(r.next)
}

// zstdFrames reads whole zstd frames that each have their length before them.
func (s *stream) zstdFrames() error {
	r := framing{stream: s, good: zstdFrame, contents: s.inner("frames", nil), codec: zstdCodec}
	return s.eachPart(r.next)
}

// framing reads one stream of frames.
type framing struct {
	*stream
	good     func([]byte) bool // whether a frame begins there
	codec    *codec
	decoder  io.Reader // of the frame before
	contents *stream   // the contents of the frames of zstd, one after the other
	offset   int64     // in contents
}

// next reads one frame, or skips other bytes.
func (r *framing) next() error {
	head := r.in.peek(prefixSize)
	if len(head) < prefixSize {
		return r.rest(finding.SourceTruncated, "no whole length of a message")
	}
	size := int64(binary.BigEndian.Uint32(head))
	if size == 0 {
		return r.empty()
	}
	if size > int64(r.limits.Unit) {
		if r.good(r.in.peek(sniffSize)) {
			return r.tooLong(prefixSize + size)
		}
		return r.search(sniffSize)
	}
	b := r.in.peek(prefixSize + int(size))
	whole := len(b) == prefixSize+int(size)
	if !r.good(b) && !(whole && r.fits(len(b))) || !whole && r.another(b) {
		return r.search(max(len(b), sniffSize))
	}
	if r.codec != nil {
		return r.unpack(b, prefixSize+int(size))
	}
	if end := soundFields(b[prefixSize:]); end < int(size) && whole && !r.fits(len(b)) {
		// The length is wrong, and may include the messages that follow.
		b = r.in.peek(prefixSize + end)
	}
	return r.logs(b, prefixSize, prefixSize+int(size))
}

// soundFields returns where the fields of a message end that can be read.
func soundFields(b []byte) int {
	w := wire{b: b}
	for w.next() {
	}
	if w.bad >= 0 {
		return w.bad
	}
	return len(b)
}

// empty passes a message of no bytes, which is one without records.
func (r *framing) empty() error {
	at := r.in.offset
	r.in.skip(prefixSize)
	r.followed(at)
	return r.skip(Skip{Place: Place{Container: r.container, Offset: at, Length: prefixSize}, Code: finding.SourceNoRecord,
		Detail: "a message of no bytes"})
}

// fits reports whether a frame, or the end, comes behind the first n bytes, so
// that their length seems to be right although the message in them is not.
func (r *framing) fits(n int) bool {
	b := r.in.peek(n + sniffSize)[n:]
	return len(b) == 0 || r.good(b)
}

// another reports whether another frame begins within a message that is cut
// off, so that its length seems to be wrong.
func (r *framing) another(b []byte) bool {
	return r.find(b) >= 0
}

// find returns where in b a frame begins that fits into b, -1 if none does.
func (r *framing) find(b []byte) int {
	for i := 1; i+prefixSize < len(b); i++ {
		if b[i] > 0x0f { // a frame of more than 256 MiB
			continue
		}
		end := i + prefixSize + int(binary.BigEndian.Uint32(b[i:]))
		if end > len(b) || !r.good(b[i:end]) {
			continue
		}
		if end == len(b) || r.good(b[end:]) {
			return i
		}
	}
	return -1
}

// search skips to the next frame that can be found in the next n bytes, or
// over these.
func (r *framing) search(n int) error {
	b := r.in.peek(n)
	end := r.find(b)
	if end < 0 {
		end = len(b)
	}
	at := r.in.offset
	skip := Skip{Code: finding.SourceUnparseable, Detail: "no message with its length before it",
		Excerpt: bytes.Clone(b[:min(end, excerptSize)])}
	skip.Place = Place{Container: r.container, Offset: at, Length: int64(end)}
	r.in.skip(end)
	r.followed(at)
	return r.skip(skip)
}

// unpack reads a frame of zstd, which should have size bytes.
func (r *framing) unpack(b []byte, size int) error {
	at := r.in.offset
	slot := r.borrow(bytes.NewReader(b[prefixSize:]), at+prefixSize)
	m := &members{stream: &stream{reader: r.reader, in: slot, container: r.container}, codec: r.codec,
		member: r.decoder}
	in := r.borrow(m, r.offset)
	r.contents.in = in
	err := r.contents.read()
	r.offset, r.decoder = in.offset, m.member
	r.giveBack(in)
	if err == nil {
		err = r.unpacked(m, size-len(b))
	}
	r.giveBack(slot)
	r.in.skip(len(b))
	r.followed(at)
	return err
}

// unpacked returns the fault of a frame of zstd that lacks so many bytes.
func (r *framing) unpacked(m *members, missing int) error {
	slot, at := m.stream, m.stream.in.offset
	rest := bytes.Clone(slot.in.peek(excerptSize))
	switch {
	case missing > 0:
		return slot.note(at, finding.SourceTruncated, "the file ends within a compressed message")
	case errors.Is(m.err, io.EOF) && len(rest) == 0:
		return nil
	}
	skip := wrongData("a compressed message", m.err, len(rest) == 0)
	for slot.in.drop() {
	}
	slot.followed(at)
	skip.Place = slot.placeFrom(at)
	skip.Excerpt = rest
	return slot.skip(skip)
}
