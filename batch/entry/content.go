package entry

import (
	"errors"
	"io"
	"os"
	"slices"

	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/internal/access"
)

// content is a stream of bytes: a file, a member of an archive, or the decompressed form of
// either.
type content struct {
	*walk
	at    where
	file  *os.File // if it is a file as it is
	below bool     // the file is below a folder
	size  int64    // -1 if that is not known
	r     io.Reader

	head []byte // the part of r that was read
	err  error  // the error that ended it; io.EOF at its end
}

// atHand is the size of files that are read while they are looked for: they have to
// be looked into anyway. Others are read when they are needed.
const atHand = 64 << 10

// examine yields the entries of the content.
func (c *content) examine() error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	if c.fill(read.LeafHead); read.Opens(c.head) {
		return c.open()
	}
	return c.text()
}

// fill reads until the head has n bytes, and reports whether it has.
func (c *content) fill(n int) bool {
	for idle := 0; len(c.head) < n && c.err == nil; {
		if len(c.head) == cap(c.head) {
			c.head = slices.Grow(c.head, c.room())
		}
		m, err := c.r.Read(c.head[len(c.head):cap(c.head)])
		c.head = c.head[:len(c.head)+m]
		c.err = err
		if idle++; m > 0 {
			idle = 0
		}
		if idle > 100 {
			c.err = io.ErrNoProgress
		}
	}
	return len(c.head) >= n
}

// room returns by how much the head grows: at first to the whole content if it is small.
func (c *content) room() int {
	if len(c.head) == 0 && c.size >= 0 && c.size <= atHand {
		return int(c.size) + 1 // one more, to see the end
	}
	return max(2*read.LeafHead, len(c.head)/2)
}

// failed returns the error that ended the content, if that was not its end.
func (c *content) failed() error {
	if errors.Is(c.err, io.EOF) {
		return nil
	}
	return access.WithoutPath(c.err)
}

// document yields the content as one entry.
func (c *content) document() error {
	if !c.wanted(c.at.matched) {
		return c.emit(c.at, Entry{Size: c.size})
	}
	if c.file != nil && c.size > atHand {
		return c.emit(c.at, Entry{Size: c.size, file: c.at.place.File, below: c.below})
	}
	c.fill(maxEntry)
	if err := c.failed(); err != nil && len(c.head) < maxEntry {
		return c.emit(c.at, Entry{Size: -1, Err: err})
	}
	e := Entry{Size: c.size, data: c.head[:min(len(c.head), maxEntry)]}
	if c.err != nil {
		e.Size = int64(len(e.data))
	}
	return c.emit(c.at, e)
}
