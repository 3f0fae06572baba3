package read

import (
	"archive/tar"
	"errors"
	"fmt"
	"hash/fnv"
	"io"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// tar reads the members of an archive that are files. What else it holds is
// skipped: links lead nowhere here, and directories hold nothing themselves.
func (s *stream) tar() error {
	names := make(map[uint64]bool)
	archive := tar.NewReader(s.in)
	for count := 0; ; count++ {
		at, before := s.in.offset, s.consumed
		header, err := archive.Next()
		if err == io.EOF {
			s.followed(at)
			return s.padding()
		}
		if err != nil {
			return s.brokenTar(at, err)
		}
		if count >= s.limits.Members {
			return s.rest(Limit, fmt.Sprintf("an archive of more than %d members", s.limits.Members))
		}
		if err := s.member(archive, header, names); err != nil {
			return err
		}
		s.passed(at, before)
	}
}

// member reads one member. A name that was there before gets its offset, so
// that each place is one place.
func (s *stream) member(archive *tar.Reader, header *tar.Header, names map[uint64]bool) error {
	at := s.in.offset
	switch header.Typeflag {
	case tar.TypeReg, tar.TypeGNUSparse:
	case tar.TypeDir, tar.TypeXGlobalHeader:
		return nil
	default:
		return s.note(at, NoRecord, "not a file but a link or device: "+safetext.Excerpt(header.Name, safetext.Value))
	}
	name := header.Name
	if hash := hashOf(name); names[hash] {
		name = fmt.Sprintf("%s@%d", name, at)
	} else {
		names[hash] = true
	}
	content := &expansion{r: archive, stream: s}
	if err := s.within(name, content); err != nil {
		return err
	}
	if errors.Is(content.err, errExpansion) {
		return s.note(at, Limit, "a member expands beyond the limit: "+safetext.Excerpt(header.Name, safetext.Value))
	}
	return nil
}

func hashOf(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}

// expansion holds a member against the limit, since a sparse one can be larger
// than its archive.
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
	if e.stream.expanded(n); e.stream.tooLarge() {
		err = errExpansion
	}
	e.err = err
	return n, err
}

// brokenTar skips an archive from where it cannot be followed any more.
func (s *stream) brokenTar(at int64, err error) error {
	s.followed(at)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return s.note(s.in.offset, Truncated, "the archive ends within a member")
	}
	if len(s.in.peek(1)) == 0 {
		return s.note(at, Unparseable, "no header of an archive")
	}
	return s.rest(Unparseable, "no header of an archive")
}

// padding passes the zeros at the end of an archive.
func (s *stream) padding() error {
	at := s.in.offset
	for {
		w := s.in.peek(firstWindow)
		for i, c := range w {
			if c != 0 {
				s.in.skip(i)
				s.followed(at)
				return s.rest(TrailingData, "behind the end of the archive")
			}
		}
		if len(w) == 0 {
			s.followed(at)
			return nil
		}
		s.in.skip(len(w))
	}
}
