package read

import (
	"bytes"
	"io"

	"github.com/svc-edge/svc-verify/finding"
)

// content is a whole stream whose parts can be read in any order.
type content struct {
	io.ReaderAt
	size int64
}

// spoolRest consumes the stream to its end, and returns all of it. Formats whose parts
// name each other by their offsets need that. The file itself is read again where it
// is; of a stream that was decoded, up to Limits.Unit bytes are held in memory. ok is
// false if there are more: the stream is skipped then.
func (s *stream) spoolRest() (c content, ok bool, err error) {
	start := s.in.offset
	if at, again := s.file.r.(io.ReaderAt); again && s.in == s.root && start == 0 {
		for s.ctx.Err() == nil && s.in.dropWindow() {
		}
		s.noteFollowed(start)
		return content{at, s.in.offset}, s.ctx.Err() == nil, s.ctx.Err()
	}
	held := s.in.peekBytes(s.limits.Unit + 1)
	if len(held) > s.limits.Unit {
		return content{}, false, s.skipRest(finding.SourceLimit, "to be read in any order, it is "+s.limitText())
	}
	c = content{bytes.NewReader(bytes.Clone(held)), int64(len(held))}
	s.in.skipBytes(len(held))
	s.noteFollowed(start)
	return c, s.ctx.Err() == nil, s.ctx.Err()
}
