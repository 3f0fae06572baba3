package sqlite

import (
	"bytes"
	"encoding/binary"
	"io"
	"math/bits"
	"os"
	"slices"

	"github.com/svc-edge/svc-verify/internal/access"
)

// Magic begins every SQLite file.
const Magic = "SQLite format 3\x00"

// HeaderSize is the size of a file's header.
const HeaderSize = 100

// Header is the beginning of a file (SQLite's file format, section 1.3).
type Header []byte

// ReadHeader reads the header through the engine, from the write-ahead log if there
// is one.
func ReadHeader(c *Conn) (Header, error) {
	s, err := c.Take(readPage)
	if err != nil {
		return nil, err
	}
	defer c.Keep(s)
	page, err := takePage(s, 1)
	if err != nil {
		return nil, err
	}
	return slices.Clone(page[:HeaderSize]), nil
}

// IsSQLite reports whether the header begins with [Magic].
func (h Header) IsSQLite() bool { return string(h[:len(Magic)]) == Magic }

// ApplicationID returns the mark of the program that made the file.
func (h Header) ApplicationID() uint32 { return binary.BigEndian.Uint32(h[68:]) }

// Reserved returns how many bytes at the end of each page are reserved.
func (h Header) Reserved() int { return int(h[20]) }

// AutoVacuum reports whether the file has pointer-map pages.
func (h Header) AutoVacuum() bool { return binary.BigEndian.Uint32(h[52:]) != 0 }

// IsUTF8 reports whether texts are UTF-8.
func (h Header) IsUTF8() bool { return binary.BigEndian.Uint32(h[56:]) == 1 }

// The beginning of a write-ahead log (SQLite's file format, section 4.1): a header whose first
// word is one of two, by the byte order of its checksums, and whose third is the size of a
// page.
const (
	logHeaderSize = 32
	logMagic      = 0x377f0682 // or the next number
	leastPage     = 512
	mostPage      = 64 << 10
)

// hasFrames reports whether a write-ahead log has a header, and something behind it.
func hasFrames(path string) bool {
	f, err := access.OpenUnlinked(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var head [logHeaderSize + 1]byte
	_, err = io.ReadFull(f, head[:])
	magic, page := binary.BigEndian.Uint32(head[:]), binary.BigEndian.Uint32(head[8:])
	return err == nil && magic&^1 == logMagic && page >= leastPage && page <= mostPage && bits.OnesCount32(page) == 1
}

// journalMagic begins every rollback journal, and also ends one that names
// another file.
var journalMagic = []byte{0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7}

// JournalOfSeveral reports whether a rollback journal is one of several files that
// are rolled back together: the engine deletes the other that it names.
func JournalOfSeveral(f *os.File) (bool, error) {
	info, err := f.Stat()
	if err != nil || info.Size() < int64(2*len(journalMagic)) {
		return false, err
	}
	end := make([]byte, len(journalMagic))
	_, err = f.ReadAt(end, info.Size()-int64(len(end)))
	return bytes.Equal(end, journalMagic), err
}
