package entry

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
)

// blockSize is the size of what tar is made of.
const blockSize = 512

// isTar reports whether b begins with the header of a member. Zeros alone are none:
// they are an empty archive, or what a file system left of a document.
func isTar(b []byte) bool {
	if len(b) < blockSize || len(bytes.Trim(b[:blockSize], "\x00")) == 0 {
		return false
	}
	_, err := tar.NewReader(bytes.NewReader(b[:blockSize])).Next()
	return !errors.Is(err, tar.ErrHeader)
}

// tape is the octets of an archive. tar reads each block of a header at once.
type tape struct {
	r    io.Reader
	at   int64           // how many octets were read
	last [blockSize]byte // the last block that was read by itself
}
