package sqlitefile

import (
	"encoding/binary"
	"errors"
	"io"
)

// Magic begins every SQLite file.
const Magic = "SQLite format 3\x00"

// HeaderSize is the size of a file's header.
const HeaderSize = 100

// ErrHeader says that a file does not begin with the header of an SQLite file.
var ErrHeader = errors.New("no header of an SQLite file")

// File is an SQLite file.
type File struct {
	r        io.ReaderAt
	pageSize int
	usable   int    // of each page
	stored   uint32 // pages that are there, the last one perhaps in part
	declared uint32 // pages that the header says there are
	encoding uint32 // 1: UTF-8; 2 and 3: UTF-16, little and big endian
	largest  int    // octets of a row; larger ones are not read
	seen     map[uint32]uint64
	buffers  [][]byte
}

// Open reads the header of a file of size bytes. Rows of more than largest bytes are
// damage.
func Open(r io.ReaderAt, size int64, largest int) (*File, error) {
	h := make([]byte, HeaderSize)
	if _, err := r.ReadAt(h, 0); err != nil || string(h[:len(Magic)]) != Magic {
		return nil, ErrHeader
	}
	f := &File{r: r, pageSize: int(binary.BigEndian.Uint16(h[16:])), encoding: binary.BigEndian.Uint32(h[56:]),
		declared: binary.BigEndian.Uint32(h[28:]), largest: largest,
		seen: make(map[uint32]uint64)}
	if f.pageSize == 1 {
		f.pageSize = 64 << 10
	}
	f.usable = f.pageSize - int(h[20])
	if f.pageSize < 512 || f.pageSize&(f.pageSize-1) != 0 || f.usable < 480 {
		return nil, ErrHeader
	}
	pages := (size + int64(f.pageSize) - 1) / int64(f.pageSize)
	f.stored = uint32(min(pages, 1<<32-2))
	// Writers from before 2010 do not keep the number of pages.
	if string(h[24:28]) != string(h[92:96]) {
		f.declared = 0
	}
	return f, nil
}

// Truncated reports whether there are fewer pages than the header says.
func (f *File) Truncated() bool { return f.declared > f.stored }

// PageSize returns the size of a page.
func (f *File) PageSize() int { return f.pageSize }

// page reads a page that was not read before; b is the memory for it. A file that
// ends within the page has the rest as zeros.
func (f *File) page(number uint32, b []byte) error {
	switch {
	case number == 0 || number > f.stored:
		return damage{"a page that is not in the file"}
	case f.was(number):
		return damage{"a page that is used twice"}
	}
	f.seen[number/64] |= 1 << (number % 64)
	n, err := f.r.ReadAt(b, int64(number-1)*int64(f.pageSize))
	clear(b[n:])
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// was reports whether a page was read already.
func (f *File) was(number uint32) bool { return f.seen[number/64]&(1<<(number%64)) != 0 }

// buffer returns memory for a page of one level of a tree.
func (f *File) buffer(level int) []byte {
	for len(f.buffers) <= level {
		f.buffers = append(f.buffers, make([]byte, f.pageSize))
	}
	return f.buffers[level]
}

// Unread calls do for each page that no tree led to, in ascending order. The pages
// are those that are free, those of indexes, and those behind damage. The octets are
// valid until do returns.
func (f *File) Unread(do func(number uint32, octets []byte) error) error {
	b := make([]byte, f.pageSize)
	for number := uint32(1); number <= f.stored && number != 0; number++ {
		if f.was(number) {
			continue
		}
		if err := f.page(number, b); err != nil {
			return err
		}
		if err := do(number, b); err != nil {
			return err
		}
	}
	return nil
}

// damage is what is wrong with a page; the rows of others are read.
type damage struct{ what string }

func (d damage) Error() string { return d.what }
