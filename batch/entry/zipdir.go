package entry

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/svc-edge/svc-verify/internal/access"
)

// The signatures of zip (APPNOTE.TXT 6.3.10, section 4.3).
const (
	zipLocal      = "PK\x03\x04"
	zipDescriptor = "PK\x07\x08"
	zipEntry      = "PK\x01\x02"
	zipEnd        = "PK\x05\x06"
	zipEnd64      = "PK\x06\x06"
	zipLocator    = "PK\x06\x07"
)

// The sizes of the fixed parts.
const (
	zipLocalSize   = 30
	zipEntrySize   = 46
	zipEndSize     = 22
	zipEnd64Size   = 56
	zipLocatorSize = 20
)

// What makes an archive unreadable.
var (
	errZipCut   = errors.New("its directory is missing: it was cut off, or something follows it")
	errZipParts = errors.New("it is one of several parts")
	errZipPlace = errors.New("its members do not follow one another as the directory says: " +
		"it is not the same for every reader")
)

// zipReader reads the directory of an archive.
type zipReader struct {
	file  io.ReaderAt
	dir   *bufio.Reader
	start int64      // of the directory
	count uint64     // members that there are said to be
	read  uint64     // members that were returned
	ahead *zipMember // the next one; nil behind the last
	seen  uint64     // entries of the directory
}

// open finds the directory: it ends where its own end says, which is the end of the
// archive.
func (z *zipReader) open(size int64) error {
	tail := make([]byte, min(size, zipEndSize+1<<16))
	if err := z.readAt(tail, size-int64(len(tail))); err != nil {
		return err
	}
	at := bytes.LastIndex(tail, []byte(zipEnd))
	if at < 0 || len(tail)-at < zipEndSize {
		return errZipCut
	}
	end := tail[at:]
	if zipEndSize+int(u16(end[20:])) != len(end) {
		return errZipCut
	}
	if u16(end[4:]) != 0 || u16(end[6:]) != 0 || u16(end[8:]) != u16(end[10:]) {
		return errZipParts
	}
	place := size - int64(len(end))
	z.count, z.start = uint64(u16(end[10:])), int64(u32(end[16:]))
	length := int64(u32(end[12:]))
	if at >= zipLocatorSize && bytes.HasPrefix(tail[at-zipLocatorSize:], []byte(zipLocator)) {
		var err error
		if place, length, err = z.open64(tail[at-zipLocatorSize:at], place-zipLocatorSize, length); err != nil {
			return err
		}
	}
	if z.start < 0 || length < 0 || z.start > place || place-z.start != length {
		return errZipPlace
	}
	z.dir = bufio.NewReaderSize(io.NewSectionReader(z.file, z.start, length), 1<<16)
	var err error
	if z.ahead, err = z.entry(); err == nil && z.first() != 0 {
		err = errZipPlace
	}
	return err
}

// first is where the next member begins, or the directory behind the last one.
func (z *zipReader) first() int64 {
	if z.ahead == nil {
		return z.start
	}
	return z.ahead.at
}

// open64 reads the end of a directory with values of 64 bits, which stands right
// before its locator. It returns where it begins, and the length of the directory.
func (z *zipReader) open64(locator []byte, place, length int64) (int64, int64, error) {
	at := int64(u64(locator[8:]))
	if u32(locator[4:]) != 0 || u32(locator[16:]) > 1 {
		return 0, 0, errZipParts
	}
	b := make([]byte, zipEnd64Size)
	if at < 0 || at > place-zipEnd64Size {
		return 0, 0, errZipPlace
	}
	if err := z.readAt(b, at); err != nil {
		return 0, 0, err
	}
	switch {
	case !bytes.HasPrefix(b, []byte(zipEnd64)), u64(b[4:]) != uint64(place-at-12):
		return 0, 0, errZipPlace
	case u32(b[16:]) != 0, u32(b[20:]) != 0, u64(b[24:]) != u64(b[32:]):
		return 0, 0, errZipParts
	}
	count, size, start := u64(b[32:]), int64(u64(b[40:])), int64(u64(b[48:]))
	if z.count != max16 && z.count != count || length != max32 && length != size || z.start != max32 && z.start != start {
		return 0, 0, errZipPlace
	}
	z.count, z.start = count, start
	return at, size, nil
}

// next returns the next member, or nil behind the last one.
func (z *zipReader) next() (*zipMember, error) {
	m := z.ahead
	if m == nil {
		if z.seen != z.count {
			return nil, fmt.Errorf("its directory has %d members, and is said to have %d", z.seen, z.count)
		}
		return nil, nil
	}
	var err error
	if z.ahead, err = z.entry(); err != nil {
		return nil, err
	}
	if err := z.local(m, z.first()); err != nil {
		return nil, err
	}
	z.read++
	return m, nil
}

// entry reads an entry of the directory. Behind the last one it returns nil.
func (z *zipReader) entry() (*zipMember, error) {
	b, err := z.take(zipEntrySize)
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, access.WithoutPath(err)
	}
	if err != nil || !bytes.HasPrefix(b, []byte(zipEntry)) {
		return nil, errZipPlace
	}
	m := &zipMember{by: b[5], flags: u16(b[8:]), method: u16(b[10:]), sum: u32(b[16:]), packed: int64(u32(b[20:])),
		size: int64(u32(b[24:])), mode: u32(b[38:]), at: int64(u32(b[42:]))}
	name, extra, comment := int(u16(b[28:])), int(u16(b[30:])), int(u16(b[32:]))
	if u16(b[34:]) != 0 {
		return nil, errZipParts
	}
	if b, err = z.take(name + extra + comment); err != nil {
		return nil, errZipPlace
	}
	m.name = string(b[:name])
	z.seen++
	if !zip64(b[name:name+extra], &m.size, &m.packed, &m.at) || m.size < 0 || m.packed < 0 || m.at < 0 {
		return nil, errZipPlace
	}
	return m, nil
}

// readAt fills b. There is always enough, unless the archive becomes shorter.
func (z *zipReader) readAt(b []byte, at int64) error {
	if n, err := z.file.ReadAt(b, at); n < len(b) {
		if errors.Is(err, io.EOF) {
			return errZipCut
		}
		return access.WithoutPath(err)
	}
	return nil
}

// take reads so many octets of the directory.
func (z *zipReader) take(n int) ([]byte, error) {
	b := make([]byte, n)
	_, err := io.ReadFull(z.dir, b)
	return b, err
}
