package entry

import (
	"archive/tar"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
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

// Read implements io.Reader.
func (t *tape) Read(p []byte) (int, error) {
	if len(p) != blockSize {
		n, err := t.r.Read(p)
		t.at += int64(n)
		return n, err
	}
	n, err := io.ReadFull(t.r, p)
	t.at += int64(n)
	copy(t.last[:], p[:n])
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil // the next call says that it is the end
	}
	return n, err
}

// tar yields the members of an archive that are files. Directories are none, and a
// link or device is unreadable.
func (c *content) tar() error {
	t := &tape{r: bufio.NewReaderSize(c.whole(), atHand)}
	r := tar.NewReader(t)
	end := int64(0) // of the last member
	for count := int64(0); ; count++ {
		h, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return c.tarEnd(t, t.at-end >= blockSize)
		case err != nil:
			return c.broken(tarFault(err, count))
		case count >= c.source.Limits.Members:
			return c.broken(c.tooMany())
		case h.Typeflag == tar.TypeDir, h.Typeflag == tar.TypeXGlobalHeader, h.Typeflag == 'V':
			end = t.at
			continue
		}
		end = t.at + tarSize(h)
		at, why := c.member(h.Name), tarRefused(h, t.last[:])
		if why != nil {
			if err := c.emit(at, Entry{Size: -1, Err: why}); err != nil {
				return err
			}
			continue
		}
		if more, err := c.members(at, h.Size, &tarMember{r}); !more {
			return err
		}
	}
}

// tarEnd examines what comes behind the last member. Without a mark at the end, the
// archive can have been cut off between two members.
func (c *content) tarEnd(t *tape, marked bool) error {
	why := c.onlyZeros(t)
	if !marked {
		why = errors.New("the archive ends without a mark of its end: members can be missing")
	}
	if why != nil {
		return c.broken(why)
	}
	return nil
}

// tarFault says why there is no further member.
func tarFault(err error, count int64) error {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = errors.New("it ends too early")
	case errors.Is(err, tar.ErrHeader):
		err = errors.New("expected the header of a member")
	}
	return fmt.Errorf("the archive cannot be read behind its first %d members: %w", count, err)
}

// tarSize is how many octets of the archive a member has behind its header.
func tarSize(h *tar.Header) int64 {
	switch h.Typeflag {
	case tar.TypeLink, tar.TypeSymlink, tar.TypeChar, tar.TypeBlock, tar.TypeFifo:
		return 0
	}
	if tarSparse(h) {
		return -blockSize // so that a mark behind it is not missed
	}
	return (h.Size + blockSize - 1) / blockSize * blockSize
}

// tarSparse reports whether a member has holes, so that it can be larger than its
// archive. A proof never is.
func tarSparse(h *tar.Header) bool {
	for name := range h.PAXRecords {
		if strings.HasPrefix(name, "GNU.sparse.") {
			return true
		}
	}
	return h.Typeflag == tar.TypeGNUSparse
}

// tarRefused says why a member is not read, or returns nil. The block is its header.
func tarRefused(h *tar.Header, block []byte) error {
	switch h.Typeflag {
	case tar.TypeReg, tar.TypeCont, tar.TypeGNUSparse:
	case tar.TypeLink, tar.TypeSymlink:
		return errors.New("a link in an archive, which is not followed")
	case tar.TypeChar, tar.TypeBlock, tar.TypeFifo:
		return errors.New("expected a regular file, found a device or pipe in an archive")
	default:
		return fmt.Errorf("expected a file in the archive, found a member of the type %q", h.Typeflag)
	}
	if tarSparse(h) {
		return errors.New("a file with holes in an archive, which is not read")
	}
	// Readers that know no extended headers take the size from the plain one, and
	// find other members behind it.
	if _, twice := h.PAXRecords["size"]; twice {
		said := string(bytes.Trim(block[124:136], " \x00"))
		if size, err := strconv.ParseInt(said, 8, 64); err != nil || size != h.Size {
			return errors.New("its two headers differ on its size: it is not the same for every reader")
		}
	}
	return nil
}

// tarMember is the content of a member.
type tarMember struct{ r io.Reader }

// Read implements io.Reader.
func (m *tarMember) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the archive ends within it")
	}
	return n, err
}
