package read

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"io"
	"slices"
)

// inflateBy makes the open of a codec whose readers can be used again.
func inflateBy(first func(io.Reader) (io.Reader, error)) func(*reader, *input, io.Reader) (io.Reader, error) {
	return func(_ *reader, in *input, before io.Reader) (io.Reader, error) {
		if z, ok := before.(flate.Resetter); ok { // zlib has the same
			return before, z.Reset(in, nil)
		}
		return first(in)
	}
}

func openZlib(r io.Reader) (io.Reader, error) { return zlib.NewReader(r) }

func openDeflate(r io.Reader) (io.Reader, error) { return flate.NewReader(r), nil }

// zlibStart looks at two bytes that can begin a text, too, so that some of the data is decoded.
func zlibStart(b []byte) bool {
	if len(b) < 2 || b[0] != 0x78 || (uint(b[0])<<8|uint(b[1]))%31 != 0 || b[1]&0x20 != 0 {
		return false
	}
	var some [64]byte
	n, err := flate.NewReader(bytes.NewReader(b[2:min(len(b), 4096)])).Read(some[:])
	return n > 0 || err == io.EOF
}

// deflateStart reports whether b is DEFLATE without a frame (RFC 1951), which has no mark: it is
// no text, and decodes to text of several letters, to the end of b or of the stream.
func deflateStart(b []byte) bool {
	const least, most, letters = 64, 64 << 10, 8
	if b = b[:min(len(b), headerSize)]; len(b) < least || isPrintable(b[:least]) {
		return false
	}
	in := bytes.NewReader(b)
	text, err := io.ReadAll(io.LimitReader(flate.NewReader(in), most))
	return (err == nil || in.Len() == 0) && len(text) >= least && isPrintable(text) &&
		len(slices.Compact(slices.Sorted(slices.Values(text[:least])))) >= letters
}
