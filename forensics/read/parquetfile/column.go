package parquetfile

import (
	"errors"
	"io"

	"github.com/svc-edge/svc-verify/forensics/read/blocks"
)

// codecs by their numbers in a file.
var codecs = map[int64]blocks.Codec{0: blocks.None, 1: blocks.Snappy, 2: blocks.Gzip, 6: blocks.Zstd, 7: blocks.LZ4}

// The encodings.
const (
	encPlain      = 0
	encDictionary = 2 // the number is of old writers
	encRLE        = 3
	encDelta      = 5
	encLengths    = 6
	encPrefixed   = 7
	encIndexed    = 8
	encSplit      = 9
)

// column is an iterator over the values of a column in one group of rows, and over
// their levels.
type column struct {
	file    *File
	leaf    *node
	codec   blocks.Codec
	at, end int64 // where the next page is, and where there are no more
	left    int64 // values, by the footer

	page, dictionary []byte
	known            []value // of the dictionary
	reps, defs       hybrid
	values           decoder
	inPage           int64 // values that are left of the page
	gap              bool  // the page is damaged: its values are not there

	rep, def int // of the next value, if it is ready
	ready    bool
	begun    bool   // the row has a value of it already
	lost     bool   // nothing more can be read of it
	fault    string // what is wrong with it; "" for nothing
}

// damaged notes what is wrong with the column, the first time.
func (c *column) damaged(what string) {
	if c.fault == "" {
		c.fault = what
	}
}

// peek makes the levels of the next value known. It returns false at the end of the
// column.
func (c *column) peek() (bool, error) {
	for !c.ready {
		switch {
		case c.lost || c.left <= 0 && c.inPage == 0:
			return false, nil
		case c.inPage == 0:
			if err := c.nextPage(); err != nil {
				return false, err
			}
		default:
			c.levels()
		}
	}
	return true, nil
}

// levels reads the levels of the next value.
func (c *column) levels() {
	c.inPage--
	c.rep, c.def, c.ready = 0, 0, true
	if c.gap {
		return
	}
	rep, ok := level(&c.reps, c.leaf.rep)
	def, ok2 := level(&c.defs, c.leaf.def)
	if !ok || !ok2 {
		c.broken("a page with fewer levels than values")
		return
	}
	c.rep, c.def = rep, def
}

// level reads a level, of which most is the highest.
func level(h *hybrid, most int) (int, bool) {
	if most == 0 {
		return 0, true
	}
	n, ok := h.next()
	return int(n), ok && n <= uint64(most)
}

// broken gives up the rest of a page. Of a column without lists, each value that is
// lost is one row; of any other the rest is lost, since nothing says which row goes on.
func (c *column) broken(what string) {
	c.damaged(what)
	c.gap = true
	if c.leaf.rep > 0 {
		c.lost, c.ready = true, false
	}
}

// take takes the value whose levels are known. has is false for null, and for one that
// is lost.
func (c *column) take() (v value, has bool) {
	c.ready, c.begun = false, true
	if c.gap || c.def < c.leaf.def {
		return v, false
	}
	v, has = c.values.next()
	if !has {
		c.broken("a page with fewer values than it says")
	}
	return v, has
}

// nextPage reads the next page.
func (c *column) nextPage() error {
	h, n, err := c.header()
	switch {
	case err != nil:
		return c.wrong(err)
	case c.lost:
		return nil
	}
	c.at += int64(n)
	if h.compressed < 0 || h.uncompressed < 0 || h.values < 0 || h.compressed > c.end-c.at {
		c.lost = true
		c.damaged("a page that is not within its column")
		return nil
	}
	if c.file.octets, err = c.file.read(c.file.octets[:0], c.at, int(h.compressed)); err != nil {
		return c.wrong(err)
	}
	c.at += h.compressed
	switch h.kind {
	case pageDictionary:
		return c.readDictionary(h)
	case pageData, pageDataV2:
		if h.values > c.left {
			c.damaged("a page of more values than its column says")
			h.values = c.left
		}
		c.left -= h.values
		c.inPage, c.gap = h.values, false
		if err := c.data(h); err != nil {
			return c.wrong(err)
		}
	}
	return nil
}

// fault is damage of a page.
type fault struct{ what string }

func (f fault) Error() string { return f.what }

// wrong makes damage of what is wrong with a page; another error is returned.
func (c *column) wrong(err error) error {
	var f fault
	switch {
	case errors.As(err, &f):
		c.broken(f.what)
	case errors.Is(err, blocks.ErrDamaged), errors.Is(err, blocks.ErrLimit), errors.Is(err, blocks.ErrCodec):
		c.broken(err.Error())
	default:
		return err
	}
	c.ready = false
	c.lost = c.lost || c.inPage == 0 // and it is not known where the next page is
	return nil
}

// header reads the header of the next page.
func (c *column) header() (h pageHeader, n int, err error) {
	const first, most = 1 << 10, 1 << 20
	for size := int64(first); ; size *= 8 {
		b, err := c.file.read(c.file.scratch[:0], c.at, int(min(size, c.end-c.at)))
		if err != nil {
			return h, 0, err
		}
		c.file.scratch = b
		h, n, short, ok := readHeader(b)
		switch {
		case ok && n > 0:
			return h, n, nil
		case short && int64(len(b)) == size && size < most:
			continue
		}
		c.lost = true
		c.damaged("a page without its header")
		return h, 0, nil
	}
}

// read reads n octets of the file into b, which has none.
func (f *File) read(b []byte, at int64, n int) ([]byte, error) {
	if cap(b) < n {
		if err := f.hold(n - cap(b)); err != nil {
			return b, err
		}
		b = make([]byte, n)
	}
	b = b[:n]
	got, err := f.r.ReadAt(b, at)
	if got == n || errors.Is(err, io.EOF) {
		err = nil
	}
	return b[:got], err
}
