package casefile

import (
	"bytes"
	"encoding/binary"
	"os"
	"slices"
)

// SQLiteMagic is how every SQLite file begins.
const SQLiteMagic = "SQLite format 3\x00"

// headerSize is the size of a file's header.
const headerSize = 100

// header is the beginning of a file (SQLite's file format, section 1.3).
type header []byte

// readHeader reads the header as the engine does: from the write-ahead log, if
// it is there.
func readHeader(c *conn) (header, error) {
	s, err := c.take(readPage)
	if err != nil {
		return nil, err
	}
	defer c.keep(s)
	page, err := takePage(s, 1)
	if err != nil {
		return nil, err
	}
	return slices.Clone(page[:headerSize]), nil
}

func (h header) isSQLite() bool { return string(h[:len(SQLiteMagic)]) == SQLiteMagic }

// applicationID returns the mark of the program that made the file.
func (h header) applicationID() uint32 { return binary.BigEndian.Uint32(h[68:]) }

// reserved returns how many octets at the end of each page are not used.
func (h header) reserved() int { return int(h[20]) }

// autoVacuum reports whether there are pages that map others.
func (h header) autoVacuum() bool { return binary.BigEndian.Uint32(h[52:]) != 0 }

// isUTF8 reports whether texts are UTF-8.
func (h header) isUTF8() bool { return binary.BigEndian.Uint32(h[56:]) == 1 }

// journalMagic begins every rollback journal, and also ends one that names
// another file.
var journalMagic = []byte{0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7}

// journalOfSeveral reports whether a rollback journal is one of several files that
// are rolled back together: the engine deletes the other that it names.
func journalOfSeveral(f *os.File) (bool, error) {
	info, err := f.Stat()
	if err != nil || info.Size() < int64(2*len(journalMagic)) {
		return false, err
	}
	end := make([]byte, len(journalMagic))
	_, err = f.ReadAt(end, info.Size()-int64(len(end)))
	return bytes.Equal(end, journalMagic), err
}
