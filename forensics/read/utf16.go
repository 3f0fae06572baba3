package read

import (
	"encoding/binary"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// utf16 reads a stream in UTF-16, as PowerShell writes redirected output, as UTF-8. Surrogates
// without their pair become U+FFFD.
func (s *stream) utf16() error {
	var order binary.ByteOrder = binary.LittleEndian
	if s.in.peek(2)[0] == 0xfe {
		order = binary.BigEndian
	}
	start, before := s.in.offset, s.consumed
	s.in.skip(2)
	err := s.within("utf-16", &utf16Reader{in: s.in, order: order})
	s.passed(start, before)
	return err
}

type utf16Reader struct {
	in    *input
	order binary.ByteOrder
}

// Read implements io.Reader. A single byte at the end is left in the input.
func (u *utf16Reader) Read(p []byte) (int, error) {
	n := 0
	for n+utf8.UTFMax <= len(p) {
		b := u.in.peek(4)
		if len(b) < 2 {
			break
		}
		c, size := rune(u.order.Uint16(b)), 2
		if utf16.IsSurrogate(c) {
			var low rune
			if len(b) == 4 {
				low = rune(u.order.Uint16(b[2:]))
			}
			if c = utf16.DecodeRune(c, low); c != utf8.RuneError {
				size = 4
			}
		}
		u.in.skip(size)
		n += utf8.EncodeRune(p[n:], c)
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}
