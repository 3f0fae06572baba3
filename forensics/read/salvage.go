package read

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/svc-edge/svc-verify/finding"
)

// salvageArchive reports that an archive cannot be followed from an offset on. The bytes there, up to
// the next header that find finds, are read as a stream of their own: they can be the content
// of a member whose header is damaged.
func (s *stream) salvageArchive(at int64, size int, code finding.Code, detail string, find func([]byte) int) error {
	from, before := s.in.offset, s.consumed
	skip := Skip{Place: Place{Container: s.container, Offset: at, Length: from - at}, Code: code, Detail: detail,
		Excerpt: bytes.Clone(s.in.peekBytes(excerptSize))}
	if err := s.skip(skip); err != nil {
		return err
	}
	lost := &until{in: s.in, size: size, find: find}
	if s.leaf != nil { // it is no member
		_, err := io.Copy(io.Discard, lost)
		if errors.Is(err, s.in.err) {
			err = nil // the container of the stream reports its end
		}
		return errors.Join(err, s.ctx.Err())
	}
	err := s.readDecoded(fmt.Sprintf("lost@%d", from), lost)
	s.passUnit(at, before)
	return err
}

// until reads up to the match of find, which looks at size bytes at most.
type until struct {
	in    *input
	size  int
	find  func([]byte) int
	clear int // bytes before the match, or its possible beginning
	found bool
}

// Read implements io.Reader.
func (u *until) Read(p []byte) (int, error) {
	if u.clear == 0 && !u.found {
		w := u.in.peekBytes(firstWindow)
		i := u.find(w)
		switch {
		case i >= 0:
			u.clear, u.found = i, true
		case len(w) == firstWindow:
			u.clear = len(w) - u.size + 1
		default:
			u.clear = len(w)
		}
	}
	if u.clear == 0 {
		return 0, io.EOF
	}
	n, err := u.in.Read(p[:min(len(p), u.clear)])
	u.clear -= n
	return n, err
}
