package parquetfile

import (
	"fmt"
	"io"

	"github.com/svc-edge/svc-verify/forensics/read/blocks"
	"github.com/svc-edge/svc-verify/forensics/read/rows"
)

// File is a Parquet file.
type File struct {
	r       io.ReaderAt
	size    int64
	root    *node
	leaves  []*node
	groups  []group
	rows    int64 // by the footer
	decoder blocks.Decoder
	grow    func(octets int) error
	held    int // octets that the columns of a group hold
	largest int
	scratch []byte // of the headers of pages
	octets  []byte // of a page, as it is in the file
}

// Limits bound what is read.
type Limits struct {
	// Memory is what all columns may hold at once, and what one row may be, in octets.
	Memory int

	// Grow is told of what is decompressed, before it is. Its error ends the reading.
	Grow func(octets int) error
}

// Open reads the footer of a file of size bytes. It returns [ErrNoFooter] for a file
// that was cut, [ErrEncrypted], or [ErrFooter].
func Open(r io.ReaderAt, size int64, l Limits) (*File, error) {
	schema, groups, declared, err := readFooter(r, size)
	if err != nil {
		return nil, err
	}
	f := &File{r: r, size: size, groups: groups, rows: declared, grow: l.Grow, largest: l.Memory,
		decoder: blocks.Decoder{Limit: l.Memory}}
	var ok bool
	if f.root, f.leaves, ok = newTree(schema); !ok {
		return nil, ErrFooter
	}
	return f, nil
}

// Close gives back what the file holds.
func (f *File) Close() { f.decoder.Close() }

// hold notes memory that a column takes.
func (f *File) hold(octets int) error {
	if f.held += octets; f.held > 2*f.largest {
		return fault{"pages that need more memory than the limit"}
	}
	return nil
}

// Groups returns how many groups of rows there are.
func (f *File) Groups() int { return len(f.groups) }

// Declared returns how many rows the footer says that there are.
func (f *File) Declared() int64 { return f.rows }

// Rows calls do for each row of a group, which it finds in t, and told for each column
// of which something is wrong. A row has no names for values that are null or lost.
func (f *File) Rows(number int, t *rows.Text, do func() error, told func(column, what string) error) error {
	g := f.groups[number]
	f.held = cap(f.scratch) + cap(f.octets)
	a := &assembler{t: t, largest: f.largest}
	for i, leaf := range f.leaves {
		a.columns = append(a.columns, f.column(g, i, leaf))
	}
	n := int64(0)
	for ; ; n++ {
		more, err := a.row(f.root)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if err := do(); err != nil {
			return err
		}
	}
	if n != g.rows {
		if err := told("", fmt.Sprintf("the group has %d rows, and says %d", n, g.rows)); err != nil {
			return err
		}
	}
	for _, c := range a.columns {
		if c.fault == "" {
			continue
		}
		if err := told(string(c.leaf.name), c.fault); err != nil {
			return err
		}
	}
	return nil
}

// column starts a column of a group.
func (f *File) column(g group, i int, leaf *node) *column {
	c := &column{file: f, leaf: leaf}
	if i >= len(g.chunks) {
		c.lost = true
		c.damaged("it is not in the group")
		return c
	}
	k := g.chunks[i]
	c.left = k.values
	c.at = k.data
	if k.dictionary > 0 && k.dictionary < k.data {
		c.at = k.dictionary
	}
	codec, ok := codecs[k.codec]
	switch {
	case k.elsewhere:
		c.lost = true
		c.damaged("it is encrypted, or in another file")
	case !ok:
		c.lost = true
		c.damaged([]string{3: "it is compressed with LZO", 4: "it is compressed with Brotli",
			5: "it is compressed with LZ4 in the framing of Hadoop", 7: ""}[min(max(k.codec, 0), 7)])
		c.damaged("it is compressed in a way that is not known here")
	case c.at < 0 || k.compressed < 0 || c.at > f.size || k.compressed > f.size-c.at:
		c.lost = true
		c.damaged("it is not within the file")
	}
	c.codec, c.end = codec, c.at+k.compressed
	return c
}
