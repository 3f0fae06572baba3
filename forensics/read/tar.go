package read

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"strconv"
)

// tarMembers are the members of a tar archive.
type tarMembers struct {
	*tar.Reader
	*tape
}

func newTarMembers(in *input) *tarMembers {
	t := &tape{in: in}
	return &tarMembers{tar.NewReader(t), t}
}

// Read reads the content of the member that next led to.
func (t *tarMembers) Read(p []byte) (int, error) { return t.Reader.Read(p) }

// nextHeader returns the header of the next member, or errUnmarked if the archive just ends.
func (t *tarMembers) nextHeader() (*tar.Header, error) {
	header, err := t.Next()
	if errors.Is(err, io.EOF) && !t.marked {
		return nil, errUnmarked
	}
	return header, err
}

// tarKind returns the kind of a member by its type.
func tarKind(flag byte) entryKind {
	switch flag {
	case tar.TypeReg, tar.TypeCont, tar.TypeGNUSparse:
		return isFile
	case tar.TypeDir, tar.TypeXGlobalHeader, tarLabel:
		return isAside
	}
	return isNoFile
}

// tarLabel is the type of a header that names the archive.
const tarLabel = 'V'

// errUnmarked reports an archive without an end mark.
var errUnmarked = errors.New("the archive ends without a mark of its end: members can be missing")

// tarDoubt returns why readers may differ on a member whose header is in block; "" if
// they do not. Readers without extended headers use the size in the plain one, and find
// other members after it.
func tarDoubt(h *tar.Header, block []byte) string {
	if _, twice := h.PAXRecords["size"]; !twice {
		return ""
	}
	plain, err := strconv.ParseInt(string(bytes.Trim(block[124:136], " \x00")), 8, 64)
	if err != nil || plain != h.Size {
		return "its two headers differ on its size: it is not the same for every reader"
	}
	return ""
}

// tape reads an archive. Each block of a header is read at once.
type tape struct {
	in     *input
	block  [headerSize]byte // the last one that was read at once
	marked bool             // it was of zeros, as the end of an archive is marked
}

// Read implements io.Reader.
func (t *tape) Read(p []byte) (int, error) {
	if len(p) != headerSize {
		n, err := t.in.Read(p)
		t.marked = t.marked && n == 0
		return n, err
	}
	n, err := io.ReadFull(t.in, p)
	if n == 0 {
		return 0, err
	}
	copy(t.block[:], p[:n])
	t.marked = len(bytes.Trim(p[:n], "\x00")) == 0
	return n, nil // the next call returns the error that ended it
}
