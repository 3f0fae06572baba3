package plan

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"hash"
	"io"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/ingest"
	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/internal/form"
)

// window is how much of a file is read at once. It grows with a line that is longer, up
// to mostWindow: more than a line that is alone.
const (
	window     = form.MaxEvent + 1<<20
	mostWindow = 2 * read.MostAlone
)

// cutter hashes a file and its ranges, and cuts it where it can be cut: at the first
// place at or behind each target.
type cutter struct {
	lines   *read.Lines
	targets []target // of the range that is read, and of those behind it
	whole   hash.Hash
	size    int64     // of the file when it was listed
	part    hash.Hash // of the range that is read; nil if the file is one range
	from    read.Position
	at      read.Position // up to where lines were looked at
	ranges  []Range
}

func newCutter(f *file, o read.Options) *cutter {
	c := &cutter{lines: read.NewLines(o, ingest.Plain), targets: f.targets, whole: sha256.New(), size: f.Size}
	if len(f.targets) > 1 {
		c.part = sha256.New()
	}
	return c
}

// cutFile reads the file to its end. It calls read with the number of further bytes that it
// read.
func (c *cutter) cutFile(ctx context.Context, r io.Reader, read func(int)) error {
	b := make([]byte, min(window, c.size+1)) // one more, to see the end
	for kept, last := 0, false; !last; {
		if err := ctx.Err(); err != nil {
			return err
		}
		if kept == len(b) {
			b = append(b, make([]byte, min(len(b), mostWindow-len(b)))...)
		}
		n, err := io.ReadFull(r, b[kept:])
		if last = errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF); err != nil && !last {
			return err
		}
		read(n)
		taken := c.takeLine(b[:kept+n], last)
		kept = copy(b, b[taken:kept+n])
	}
	c.endRange()
	return nil
}

// takeLine consumes the next bytes, and returns their number: all but a last line whose end is
// not here yet.
func (c *cutter) takeLine(b []byte, last bool) int {
	hashed, at := 0, 0
	for len(c.targets) > 1 {
		n := bytes.IndexByte(b[at:], '\n') + 1
		if n == 0 && len(b)-at < read.MostAlone && !last {
			c.hashBytes(b[hashed:at])
			return at
		}
		consumed, alone := c.lines.Alone(b[at : at+n])
		if !alone {
			c.targets = c.targets[:1] // nothing behind is cut
			break
		}
		if c.at.Offset >= c.targets[0].to && c.at.Offset > c.from.Offset {
			c.hashBytes(b[hashed:at])
			hashed = at
			c.cutRange()
		}
		at += n
		c.at.Offset, c.at.Consumed = c.at.Offset+int64(n), c.at.Consumed+consumed
	}
	c.hashBytes(b[hashed:])
	c.at.Offset += int64(len(b) - at)
	return len(b)
}

// hashBytes adds bytes to the digests.
func (c *cutter) hashBytes(b []byte) {
	c.whole.Write(b)
	if c.part != nil {
		c.part.Write(b)
	}
}

// cutRange ends a range where the cutter is, and begins the next one.
func (c *cutter) cutRange() {
	c.ranges = append(c.ranges, c.rangeRead())
	c.part.Reset()
	c.from = c.at
	for len(c.targets) > 1 && c.targets[0].to <= c.at.Offset {
		c.targets = c.targets[1:]
	}
}

// endRange ends the last range.
func (c *cutter) endRange() { c.ranges = append(c.ranges, c.rangeRead()) }

// rangeRead is the range that was read.
func (c *cutter) rangeRead() Range {
	of := c.part
	if of == nil {
		of = c.whole
	}
	return Range{Share: c.targets[0].share, From: c.from.Offset, To: c.at.Offset, Consumed: c.from.Consumed,
		SHA256: chain.Hash(of.Sum(nil))}
}
