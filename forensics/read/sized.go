package read

import "io"

// sized is the content of a member whose size is in its header, with what fills
// its place behind it.
type sized struct {
	in         *input
	left, fill int64
}

// Read implements io.Reader.
func (s *sized) Read(p []byte) (int, error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	n, err := s.in.Read(p[:min(int64(len(p)), s.left)])
	s.left -= int64(n)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// ReadByte implements io.ByteReader, so that decompressors take no more than they need.
func (s *sized) ReadByte() (byte, error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	c, err := s.in.ReadByte()
	switch err {
	case nil:
		s.left--
	case io.EOF:
		err = io.ErrUnexpectedEOF
	}
	return c, err
}

// pass consumes what is left of the member.
func (s *sized) pass() error {
	missing := s.left + s.fill - s.in.discard(s.left+s.fill)
	content := missing - s.fill
	s.left, s.fill = 0, 0
	if content > 0 {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// header returns the next n octets, which stay where they are. It returns io.EOF
// where nothing follows.
func (s *sized) header(n int) ([]byte, error) {
	b := s.in.peek(n)
	switch {
	case len(b) == 0:
		return nil, io.EOF
	case len(b) < n:
		return nil, io.ErrUnexpectedEOF
	}
	return b, nil
}
