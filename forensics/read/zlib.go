package read

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"io"
)

// zlibCodec reads streams of zlib (RFC 1950), all with one decoder. They have no
// magic number that one could find behind damage.
type zlibCodec struct {
	decoder io.ReadCloser
	trial   io.ReadCloser
}

func (*zlibCodec) find([]byte) int { return -1 }
func (*zlibCodec) close()          {}

func (c *zlibCodec) open(in *input) (_ io.Reader, err error) {
	if c.decoder == nil {
		c.decoder, err = zlib.NewReader(in)
		return c.decoder, err
	}
	return c.decoder, c.decoder.(zlib.Resetter).Reset(in, nil)
}

// starts looks at two octets that can begin a text, too, so that some of the data
// is decoded.
func (c *zlibCodec) starts(b []byte) bool {
	if len(b) < 2 || b[0] != 0x78 || (uint(b[0])<<8|uint(b[1]))%31 != 0 || b[1]&0x20 != 0 {
		return false
	}
	data := bytes.NewReader(b[2:min(len(b), 4096)])
	if c.trial == nil {
		c.trial = flate.NewReader(data)
	} else if err := c.trial.(flate.Resetter).Reset(data, nil); err != nil {
		return false
	}
	var some [64]byte
	n, err := c.trial.Read(some[:])
	return n > 0 || err == io.EOF
}

// zlibStart reports whether b begins with a stream of zlib.
func zlibStart(b []byte) bool { return new(zlibCodec).starts(b) }
