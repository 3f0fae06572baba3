package entry

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Methods, flags, and what stands for a value that is elsewhere.
const (
	zipStored    = 0
	zipDeflated  = 8
	zipEncrypted = 1<<0 | 1<<6 | 1<<13
	zipDescribed = 1 << 3 // sizes and checksum come behind the data
	max16        = 1<<16 - 1
	max32        = 1<<32 - 1
)

var u16, u32, u64 = binary.LittleEndian.Uint16, binary.LittleEndian.Uint32, binary.LittleEndian.Uint64

// zipMember is a member as the directory has it.
type zipMember struct {
	name          string
	by            byte // the system that made it
	flags, method uint16
	sum, mode     uint32
	packed, size  int64
	at            int64 // of its header
	data          int64 // of its octets
}

// zip64 reads the values that do not fit into 32 bits: an extra field has them in 64. It
// returns false if one is missing.
func zip64(extra []byte, values ...*int64) bool {
	wide := slices.DeleteFunc(values, func(v *int64) bool { return *v != max32 })
	for len(extra) >= 4 && len(wide) > 0 {
		id, size := u16(extra), int(u16(extra[2:]))
		if extra = extra[4:]; size > len(extra) {
			return false
		}
		if id == 1 {
			if size < 8*len(wide) {
				return false
			}
			for i, v := range wide {
				*v = int64(u64(extra[8*i:]))
			}
			return true
		}
		extra = extra[size:]
	}
	return len(wide) == 0
}

// local compares a member with the header before it, and with where the next one
// begins.
func (z *zipReader) local(m *zipMember, next int64) error {
	b := make([]byte, zipLocalSize+len(m.name))
	if next > z.start || m.at > next-int64(len(b)) {
		return errZipPlace
	}
	if err := z.readAt(b, m.at); err != nil {
		return err
	}
	if !bytes.HasPrefix(b, []byte(zipLocal)) {
		return errZipPlace
	}
	extra := make([]byte, u16(b[28:]))
	m.data = m.at + int64(len(b)+len(extra))
	if m.data > next || m.packed > next-m.data {
		return errZipPlace
	}
	if err := z.readAt(extra, m.at+int64(len(b))); err != nil {
		return err
	}
	l := &zipMember{flags: u16(b[6:]), method: u16(b[8:]), sum: u32(b[14:]), packed: int64(u32(b[18:])),
		size: int64(u32(b[22:])), name: string(b[zipLocalSize:])}
	if int(u16(b[26:])) != len(m.name) || l.name != m.name || l.method != m.method ||
		(l.flags^m.flags)&(zipEncrypted|zipDescribed) != 0 || !zip64(extra, &l.size, &l.packed) {
		return errZipDiffers
	}
	unsaid := l.flags&zipDescribed != 0 && l.sum == 0 && l.packed == 0 && l.size == 0
	if !unsaid && (l.sum != m.sum || l.packed != m.packed || l.size != m.size) {
		return errZipDiffers
	}
	return z.between(m, next)
}

// errZipDiffers is that a reader of headers sees another member.
var errZipDiffers = errors.New("the header of a member differs from the directory: " +
	"it is not the same for every reader")

// between checks that there is nothing between a member and the next one, but for what
// describes it, if its header does not.
func (z *zipReader) between(m *zipMember, next int64) error {
	end := m.data + m.packed
	if m.flags&zipDescribed == 0 {
		if end != next {
			return errZipPlace
		}
		return nil
	}
	if next-end < 12 || next-end > 24 {
		return errZipPlace
	}
	b := make([]byte, next-end)
	if err := z.readAt(b, end); err != nil {
		return err
	}
	if len(b)%8 == 0 { // 16 and 24 have the signature
		if !bytes.HasPrefix(b, []byte(zipDescriptor)) {
			return errZipDiffers
		}
		b = b[4:]
	}
	switch {
	case len(b) == 12 && u32(b) == m.sum && int64(u32(b[4:])) == m.packed && int64(u32(b[8:])) == m.size,
		len(b) == 20 && u32(b) == m.sum && int64(u64(b[4:])) == m.packed && int64(u64(b[12:])) == m.size:
		return nil
	}
	return errZipDiffers
}

// directory reports whether the member is one.
func (m *zipMember) directory() bool {
	return strings.HasSuffix(m.name, "/") && m.size == 0
}

// refused says why the member is not read, or returns nil.
func (m *zipMember) refused() error {
	const (
		unix, mac           = 3, 19
		kind, regular, pipe = 0o170000, 0o100000, 0o010000 // what zip read from a pipe has its kind
	)
	mode := m.mode >> 16 & kind
	switch {
	case m.flags&zipEncrypted != 0:
		return errors.New("it is encrypted")
	case (m.by == unix || m.by == mac) && mode != 0 && mode != regular && mode != pipe:
		return errors.New("expected a regular file, found a link or device in an archive")
	case strings.HasSuffix(m.name, "/"):
		return errors.New("expected a directory, as its name says, found one with content")
	case m.method != zipStored && m.method != zipDeflated:
		return fmt.Errorf("it is compressed by the method %d of zip, which is not read", m.method)
	}
	return nil
}
