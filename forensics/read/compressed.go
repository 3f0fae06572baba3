package read

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/svc-edge/svc-verify/finding"
)

// errExpansion means that decompression made more than [Limits] admit.
var errExpansion = errors.New("it expands beyond the limit")

// members makes one stream out of the members that follow one another.
type members struct {
	stream *stream // the compressed one
	codec  *codec
	member io.Reader // the one that is read, or was read last; nil before the first
	open   bool
	err    error
}

// Read implements io.Reader.
func (m *members) Read(p []byte) (int, error) {
	for m.err == nil {
		if !m.open {
			m.nextMember()
			continue
		}
		var n int
		err := decodeContained(func() (err error) {
			n, err = m.member.Read(p)
			return err
		})
		if m.open = err == nil; err != io.EOF {
			m.err = err
		}
		if over := m.stream.growBy(n); over != nil {
			m.err = over
		}
		if n > 0 {
			return n, nil
		}
	}
	return 0, m.err
}

// nextMember opens the next member, if there is one. Zeros may fill the place behind one.
func (m *members) nextMember() {
	in := m.stream.in
	if m.member != nil {
		m.stream.passZeros()
	}
	if !m.codec.starts(in.peekBytes(headerSize)) {
		m.err = io.EOF
		return
	}
	m.err = decodeContained(func() error {
		member, err := m.codec.open(m.stream.reader, in, m.member)
		if m.open = err == nil; member != nil {
			m.member = member
		}
		return err
	})
	if errors.Is(m.err, io.EOF) {
		m.err = io.ErrUnexpectedEOF
	}
}

// expansion compares the decompressed size of a file with the limit. A sparse member can be
// larger than its archive.
type expansion struct {
	r      io.Reader
	stream *stream
	err    error
}

// Read implements io.Reader.
func (e *expansion) Read(p []byte) (int, error) {
	if e.err != nil {
		return 0, e.err
	}
	n, err := e.r.Read(p)
	if over := e.stream.growBy(n); over != nil {
		err = over
	}
	e.err = err
	return n, err
}

// growBy counts decompressed bytes, and returns errExpansion if they are too many for the
// bytes read of the file.
func (r *reader) growBy(n int) error {
	if r.made += int64(n); r.made > FreeExpansion && r.made-FreeExpansion > r.limits.Expansion*r.root.offset {
		return errExpansion
	}
	return nil
}

// readCompressed reads a compressed stream. Where it is damaged, it continues with the next member
// that can be found, as a stream of its own.
func (s *stream) readCompressed(c *codec) error {
	step := string(c.format)
	m := &members{stream: s, codec: c}
	for name := step; ; name = fmt.Sprintf("%s@%d", step, s.in.offset) {
		start := s.in.offset
		if err := s.readDecoded(name, m); err != nil {
			return err
		}
		s.noteFollowed(start)
		if errors.Is(m.err, io.EOF) && len(s.in.peekBytes(1)) == 0 {
			return nil
		}
		if found, err := s.resumeBehind(m.err, step, c, start); !found || err != nil {
			return err
		}
		m.err = nil
	}
}

// maxMagic is the length of the longest beginning that a codec looks for.
const maxMagic = 16

// readDecoded reads the stream that a decoder makes of this one.
func (s *stream) readDecoded(step string, r io.Reader) error {
	in := s.borrowInput(r, 0)
	err := s.innerStream(step, in).readWhole()
	s.giveBack(in)
	return err
}

// wrongData explains why reading of compressed data stops, with nothing behind it if ended.
func wrongData(what string, wrong error, ended bool) Skip {
	other := unreadable{}
	switch {
	case errors.Is(wrong, io.EOF):
		return Skip{Code: finding.SourceTrailingData, Detail: "behind the end of " + what}
	case errors.As(wrong, &other):
		return Skip{Code: finding.SourceUnknownFormat, Detail: what + " is not read: " + other.why, Help: other.help}
	case errors.Is(wrong, errMemory):
		return Skip{Code: finding.SourceLimit, Detail: what + " is not read: " + wrong.Error()}
	case errors.Is(wrong, errExpansion):
		return Skip{Code: finding.SourceLimit, Detail: what + " expands beyond the limit"}
	case errors.Is(wrong, io.ErrUnexpectedEOF) && ended:
		return Skip{Code: finding.SourceTruncated, Detail: what + " ends too early"}
	}
	return Skip{Code: finding.SourceUnparseable, Detail: what + " is damaged: " + wrong.Error()}
}

// resumeBehind reports the fault of the member at start, and searches for another one after it.
func (s *stream) resumeBehind(wrong error, step string, c *codec, start int64) (found bool, err error) {
	at := s.in.offset
	skip := wrongData("the "+step+" data", wrong, len(s.in.peekBytes(1)) == 0)
	if errors.Is(wrong, errExpansion) && len(s.in.peekBytes(1)) > 0 {
		return false, s.skipRest(skip.Code, skip.Detail)
	}
	skip.Excerpt = bytes.Clone(s.in.peekBytes(excerptSize))
	if at == start {
		s.in.discardBytes(1) // of a member that was not begun: the search begins further on
	}
	found = s.seekPlace(maxMagic, c.findMember)
	skip.Place = s.placeFrom(at)
	s.noteFollowed(at)
	return found, s.skip(skip)
}

// seekPlace consumes the input up to the next place that find finds, or to its end if
// there is none. find looks at size bytes at most to recognise one.
func (s *stream) seekPlace(size int, find func([]byte) int) bool {
	for s.ctx.Err() == nil {
		w := s.in.peekBytes(firstWindow)
		if i := find(w); i >= 0 {
			s.in.skipBytes(i)
			return true
		}
		if len(w) < firstWindow {
			s.in.skipBytes(len(w))
			return false
		}
		s.in.skipBytes(len(w) - size + 1)
	}
	return false
}
