package parquetfile

import (
	"io"

	"github.com/svc-edge/svc-verify/forensics/read/blocks"
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
	f := &File{r: r, size: size, groups: groups, rows: declared, grow: l.Grow, largest: l.Memory, decoder: blocks.Decoder{Limit: l.Memory}}
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
