package read

import (
	"io"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
	"golang.org/x/text/transform"
)

// readUTF16 reads a stream in UTF-16, as PowerShell writes redirected output, as UTF-8. Surrogates
// without their pair become U+FFFD.
func (s *stream) readUTF16() error {
	return s.wideText("utf-16", 2, unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM))
}

// readUTF32 reads a stream in UTF-32 as UTF-8. Units that are no character become U+FFFD.
func (s *stream) readUTF32() error {
	return s.wideText("utf-32", 4, utf32.UTF32(utf32.LittleEndian, utf32.ExpectBOM))
}

// wideText reads a text of units of a size, from its byte order mark on.
func (s *stream) wideText(name string, size int, as encoding.Encoding) error {
	start, before := s.in.offset, s.consumed
	err := s.readDecoded(name, transform.NewReader(wholeUnits{s.in, size}, as.NewDecoder()))
	s.passUnit(start, before)
	return err
}

// wholeUnits hands on units of a size. Less than one at the end is left in the input.
type wholeUnits struct {
	in   *input
	size int
}

// Read implements io.Reader.
func (w wholeUnits) Read(p []byte) (int, error) {
	n := copy(p, w.in.peekBytes(len(p))) / w.size * w.size
	if w.in.skipBytes(n); n == 0 {
		return 0, io.EOF
	}
	return n, nil
}
