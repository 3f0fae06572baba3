package read

import (
	"encoding/binary"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// readUTF16 reads a stream in UTF-16, as PowerShell writes redirected output, as UTF-8. Surrogates
// without their pair become U+FFFD.
func (s *stream) readUTF16() error { return s.wideText("utf-16", 2) }

// readUTF32 reads a stream in UTF-32 as UTF-8. Units that are no character become U+FFFD.
func (s *stream) readUTF32() error { return s.wideText("utf-32", 4) }

// wideText reads a text of units of a size, behind its byte order mark.
func (s *stream) wideText(name string, size int) error {
	var order binary.ByteOrder = binary.LittleEndian
	if mark := s.in.peekBytes(size); mark[size-1] == 0xff {
		order = binary.BigEndian
	}
	start, before := s.in.offset, s.consumed
	s.in.skipBytes(size)
	err := s.readDecoded(name, &wideReader{in: s.in, order: order, size: size})
	s.passUnit(start, before)
	return err
}

// wideReader reads units of two or four bytes as UTF-8.
type wideReader struct {
	in    *input
	order binary.ByteOrder
	size  int
}

// Read implements io.Reader. Less than a unit at the end is left in the input.
func (w *wideReader) Read(p []byte) (int, error) {
	n := 0
	for n+utf8.UTFMax <= len(p) {
		b := w.in.peekBytes(4)
		if len(b) < w.size {
			break
		}
		c, size := w.nextCharacter(b)
		w.in.skipBytes(size)
		n += utf8.EncodeRune(p[n:], c)
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// nextCharacter returns the first character of up to four bytes, and its size.
func (w *wideReader) nextCharacter(b []byte) (rune, int) {
	if w.size == 4 {
		return rune(min(w.order.Uint32(b), utf8.MaxRune+1)), 4 // #nosec G115 -- bounded
	}
	c := rune(w.order.Uint16(b))
	if !utf16.IsSurrogate(c) {
		return c, 2
	}
	var low rune
	if len(b) == 4 {
		low = rune(w.order.Uint16(b[2:]))
	}
	if c = utf16.DecodeRune(c, low); c != utf8.RuneError {
		return c, 4
	}
	return c, 2
}
