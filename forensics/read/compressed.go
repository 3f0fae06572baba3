package read

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/svc-edge/svc-verify/finding"
)

// errExpansion says that decompression made more than [Limits] admit.
var errExpansion = errors.New("it expands beyond the limit")

// codec is one kind of compression.
type codec interface {
	// starts reports whether a member begins with b, of which headerSize octets are
	// enough.
	starts(b []byte) bool

	// find returns where in b a member seems to begin, -1 if none does. It looks at
	// maxMagic octets of one.
	find(b []byte) int

	// open reads one member, to its end and no further.
	open(*input) (io.Reader, error)

	close()
}

// maxMagic is the length of the longest beginning that a codec looks for.
const maxMagic = 16

// gzipCodec reads members of gzip (RFC 1952), all with one decoder: making one
// takes longer than the three octets that seem to need it.
type gzipCodec struct{ decoder gzip.Reader }

func (*gzipCodec) starts(b []byte) bool { return bytes.HasPrefix(b, gzipMagic) }
func (*gzipCodec) find(b []byte) int    { return bytes.Index(b, gzipMagic) }
func (*gzipCodec) close()               {}

func (c *gzipCodec) open(in *input) (io.Reader, error) {
	if err := c.decoder.Reset(in); err != nil {
		return nil, err
	}
	c.decoder.Multistream(false)
	return &c.decoder, nil
}

// members makes one stream out of the members that follow one another.
type members struct {
	stream *stream // the compressed one
	codec  codec
	member io.Reader // the one being read; nil between two
	count  int
	second int64 // where the second one begins
	err    error
}

// Read implements io.Reader.
func (m *members) Read(p []byte) (int, error) {
	for m.err == nil {
		if m.member == nil {
			m.next()
			continue
		}
		n, err := m.member.Read(p)
		switch {
		case err == io.EOF:
			m.member = nil
		case err != nil:
			m.err = err
		}
		if m.stream.expanded(n); m.stream.tooLarge() {
			m.err = errExpansion
		}
		if n > 0 {
			return n, nil
		}
	}
	return 0, m.err
}

// next opens the next member, if there is one.
func (m *members) next() {
	in := m.stream.in
	if !m.codec.starts(in.peek(headerSize)) {
		m.err = io.EOF
		return
	}
	if m.count++; m.count == 2 {
		m.second = in.offset
	}
	m.member, m.err = m.codec.open(in)
	if errors.Is(m.err, io.EOF) {
		m.err = io.ErrUnexpectedEOF
	}
}

// expanded counts what decompression made, tooLarge holds it against what was
// read of the file.
func (r *reader) expanded(n int) { r.made += int64(n) }

func (r *reader) tooLarge() bool {
	return r.made > FreeExpansion && r.made-FreeExpansion > r.limits.Expansion*r.root.offset
}

// expand reads a compressed stream. Where it is damaged, it goes on with the
// next member that can be found, as a stream of its own.
func (s *stream) expand(step string, c codec) error {
	defer c.close()
	for name := step; ; name = fmt.Sprintf("%s@%d", step, s.in.offset) {
		start := s.in.offset
		m := &members{stream: s, codec: c}
		if err := s.within(name, m); err != nil {
			return err
		}
		s.followed(start)
		if m.count > 1 && step == "gzip" {
			if err := s.note(m.second, finding.SourceSeveral, fmt.Sprintf("the second of %d gzip members begins here",
				m.count)); err != nil {
				return err
			}
		}
		if errors.Is(m.err, io.EOF) {
			return s.rest(finding.SourceTrailingData, "no further "+step+" data, after its end")
		}
		if s.in.offset == start {
			s.in.discard(1) // whatever happens, the next search begins further on
		}
		if found, err := s.resume(m.err, step, c); !found || err != nil {
			return err
		}
	}
}

// within reads the stream that a decoder makes of this one.
func (s *stream) within(step string, r io.Reader) error {
	in := s.borrow(r, 0)
	err := s.inner(step, in).read()
	s.giveBack(in)
	return err
}

// resume reports what is wrong with compressed data, and looks for a member
// behind it.
func (s *stream) resume(wrong error, step string, c codec) (found bool, err error) {
	at, damage := s.in.offset, &fault{code: finding.SourceUnparseable,
		text: "the " + step + " data is damaged: " + wrong.Error()}
	if errors.Is(wrong, errMemory) {
		damage.code = finding.SourceLimit
	}
	if errors.Is(wrong, errExpansion) {
		damage.code, damage.text = finding.SourceLimit, "the "+step+" data expands beyond the limit"
		if len(s.in.peek(1)) > 0 {
			return false, s.rest(damage.code, damage.text)
		}
	}
	if errors.Is(wrong, io.ErrUnexpectedEOF) && len(s.in.peek(1)) == 0 {
		damage.code, damage.text = finding.SourceTruncated, "the "+step+" data ends too early"
	}
	head := bytes.Clone(s.in.peek(excerptSize))
	found = s.seek(maxMagic, c.find)
	skip := Skip{Code: damage.code, Detail: damage.text, Excerpt: head}
	skip.Place = Place{Container: s.container, Offset: at, Length: s.in.offset - at}
	s.followed(at)
	return found, s.skip(skip)
}

// seek consumes the input up to the next place that find finds, or to its end if
// there is none. find looks at size octets at most to recognise one.
func (s *stream) seek(size int, find func([]byte) int) bool {
	for s.ctx.Err() == nil {
		w := s.in.peek(firstWindow)
		if i := find(w); i >= 0 {
			s.in.skip(i)
			return true
		}
		if len(w) < firstWindow {
			s.in.skip(len(w))
			return false
		}
		s.in.skip(len(w) - size + 1)
	}
	return false
}
