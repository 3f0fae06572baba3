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
	return s.eachPart(r.nextFrame)
}

// zstdFrames reads whole zstd frames that each have their length before them.
func (s *stream) zstdFrames() error {
	r := framing{stream: s, good: zstdFrame, contents: s.innerStream("frames", nil), codec: zstdCodec}
	return s.eachPart(r.nextFrame)
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

// nextFrame reads one frame, or skips other bytes.
func (r *framing) nextFrame() error {
	head := r.in.peekBytes(prefixSize)
	if len(head) < prefixSize {
		return r.skipRest(finding.SourceTruncated, "no whole length of a message")
	}
	size := int64(binary.BigEndian.Uint32(head))
	if size == 0 {
		return r.passEmpty()
	}
	if size > int64(r.limits.Unit) {
		if r.good(r.in.peekBytes(sniffSize)) {
			return r.tooLong(prefixSize + size)
		}
		return r.skipToFrame(sniffSize)
	}
	b := r.in.peekBytes(prefixSize + int(size))
	whole := len(b) == prefixSize+int(size)
	if !r.good(b) && !(whole && r.fitsBefore(len(b))) || !whole && r.findFrame(b) >= 0 { // another begins within
		return r.skipToFrame(max(len(b), sniffSize))
	}
	if r.codec != nil {
		return r.unpackFrame(b, prefixSize+int(size))
	}
	if end := soundFields(b[prefixSize:]); end < int(size) && whole && !r.fitsBefore(len(b)) {
		// The length is wrong, and may include the messages that follow.
		b = r.in.peekBytes(prefixSize + end)
	}
	return r.readLogs(b, prefixSize, prefixSize+int(size))
}

// soundFields returns where the fields of a message end that can be read.
func soundFields(b []byte) int {
	w := wire{b: b}
	for w.nextField() {
	}
	if w.bad >= 0 {
		return w.bad
	}
	return len(b)
}

// passEmpty passes a message of no bytes, which is one without records.
func (r *framing) passEmpty() error {
	return r.passSpan(finding.SourceNoRecord, "a message of no bytes", func() { r.in.skipBytes(prefixSize) })
}

// fitsBefore reports whether a frame, or the end, comes behind the first n bytes, so
// that their length seems to be right although the message in them is not.
func (r *framing) fitsBefore(n int) bool {
	b := r.in.peekBytes(n + sniffSize)[n:]
	return len(b) == 0 || r.good(b)
}

// findFrame returns where in b a frame begins that fits into b, -1 if none does.
func (r *framing) findFrame(b []byte) int {
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

// skipToFrame skips to the next frame that can be found in the next n bytes, or
// over these.
func (r *framing) skipToFrame(n int) error {
	b := r.in.peekBytes(n)
	end := r.findFrame(b)
	if end < 0 {
		end = len(b)
	}
	return r.passSpan(finding.SourceUnparseable, "no message with its length before it", func() { r.in.skipBytes(end) })
}

// unpackFrame reads a frame of zstd, which should have size bytes.
func (r *framing) unpackFrame(b []byte, size int) error {
	at := r.in.offset
	slot := r.borrowInput(bytes.NewReader(b[prefixSize:]), at+prefixSize)
	m := &members{stream: &stream{reader: r.reader, in: slot, container: r.container}, codec: r.codec,
		member: r.decoder}
	in := r.borrowInput(m, r.offset)
	r.contents.in = in
	err := r.contents.readWhole()
	r.offset, r.decoder = in.offset, m.member
	r.giveBack(in)
	if err == nil {
		err = r.unpackingFault(m, size-len(b))
	}
	r.giveBack(slot)
	r.in.skipBytes(len(b))
	r.noteFollowed(at)
	return err
}

// unpackingFault returns the fault of a frame of zstd that lacks so many bytes.
func (r *framing) unpackingFault(m *members, missing int) error {
	slot, at := m.stream, m.stream.in.offset
	rest := bytes.Clone(slot.in.peekBytes(excerptSize))
	switch {
	case missing > 0:
		return slot.noteAt(at, finding.SourceTruncated, "the file ends within a compressed message")
	case errors.Is(m.err, io.EOF) && len(rest) == 0:
		return nil
	}
	skip := wrongData("a compressed message", m.err, len(rest) == 0)
	for slot.in.dropWindow() {
	}
	slot.noteFollowed(at)
	skip.Place = slot.placeFrom(at)
	skip.Excerpt = rest
	return slot.skip(skip)
}
