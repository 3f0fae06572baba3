package read

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// The signatures of zip (APPNOTE.TXT 6.3.10, section 4.3).
const (
	zipLocal      = "PK\x03\x04"
	zipDescriptor = "PK\x07\x08"
	zipEntry      = "PK\x01\x02"
	zipEnd        = "PK\x05\x06"
	zipEnd64      = "PK\x06\x06"
	zipLocator    = "PK\x06\x07"
	zipExtra      = "PK\x06\x08"
	zipSigned     = "PK\x05\x05"
	zipSpanned    = "PK00" // of an archive that was to be in several parts
)

// zipStart reports whether b begins with an archive.
func zipStart(b []byte) bool {
	starts := []string{zipLocal, zipEnd, zipDescriptor + zipLocal, zipSpanned + zipLocal}
	return slices.ContainsFunc(starts, func(start string) bool { return bytes.HasPrefix(b, []byte(start)) })
}

// zipArchive reads zip forward, from the local header of each member to the next. So it needs
// no file that can be read anywhere, reads all before a cut, and finds members that the
// directory leaves out. The directory at the end is compared with the members read.
type zipArchive struct {
	*stream
	names   names
	start   int64 // of the archive in the stream
	members []zipSeen
	dir     zipDirectory
	last    int64 // where the member before the directory begins
	told    bool  // of a file
	inflate io.ReadCloser
}

// zipSeen is the kept facts of a member, to compare it with the directory.
type zipSeen struct {
	at     int64  // of its header, from the beginning of the archive
	says   uint64 // a hash of the facts that the directory repeats; 0 if unknown
	sized  bool   // no descriptor was to follow it
	listed bool
}

func (s *stream) readZip() error {
	z := &zipArchive{stream: s, names: make(names), start: s.in.offset, last: s.in.offset}
	if err := s.eachPart(z.readPart); err != nil {
		return err
	}
	return z.missingParts()
}

// readPart reads the next part, or skips other bytes.
func (z *zipArchive) readPart() error {
	b := z.in.peekBytes(2 * len(zipLocal))
	switch signature := string(b[:min(len(zipLocal), len(b))]); signature {
	case zipLocal:
		return z.readZipMember()
	case zipEntry:
		return z.readEntry()
	case zipEnd:
		return z.readEnd()
	case zipEnd64:
		return z.readEnd64()
	case zipLocator:
		return z.readLocator()
	case zipExtra:
		return z.passPart(8, 4, 4)
	case zipSigned:
		return z.passPart(6, 4, 2)
	case zipSpanned, zipDescriptor: // before the first member of an archive in parts
		if string(b) == signature+zipLocal {
			return z.passPart(4, 0, 0)
		}
	}
	code, detail := finding.SourceUnparseable, "no part of a zip archive"
	if z.dir.ended {
		code, detail = finding.SourceTrailingData, "behind the end of the archive"
	}
	return z.salvageArchive(z.in.offset, zipHeader, code, detail, findZipPart)
}

// findZipPart returns where in b a part of an archive begins, -1 if none does.
func findZipPart(b []byte) int {
	return firstStart(b, func(b []byte) bool {
		return zipPlausible(b) || bytes.HasPrefix(b, []byte(zipEntry)) || bytes.HasPrefix(b, []byte(zipEnd))
	})
}

// passPart consumes a part of so many bytes and of as many more as a number in it, which has a
// place and a size.
func (z *zipArchive) passPart(size, place, width int) error {
	at := z.in.offset
	b := z.in.peekBytes(size)
	if len(b) < size {
		return z.skipTorn()
	}
	var number [8]byte
	copy(number[:], b[place:place+width])
	more := int64(binary.LittleEndian.Uint64(number[:]) & (1<<40 - 1)) // #nosec G115 -- 40 bits
	z.dir.cut = z.in.discardBytes(int64(size)+more) < int64(size)+more
	z.passListed(at)
	return nil
}

// passListed is noteFollowed for a part that is only about members: it goes with the last of them.
func (z *zipArchive) passListed(from int64) {
	after := z.consumed + z.in.offset - from
	z.noteFollowed(z.last)
	z.consumed = after
}

// skipTorn skips the rest of an archive that ends within a part.
func (z *zipArchive) skipTorn() error {
	z.dir.ended, z.dir.torn = true, true
	return z.skipRest(finding.SourceTruncated, "the archive ends within a header")
}

// missingParts returns the missing parts at the end of the stream.
func (z *zipArchive) missingParts() error {
	if !z.dir.ended || z.dir.cut {
		return z.noteAt(z.in.offset, finding.SourceTruncated, "the archive ends before its directory does")
	}
	if !z.told && !z.dir.torn {
		return z.withoutFiles(z.start)
	}
	return nil
}

// Flags of a member.
const (
	zipEncrypted  = 1 << 0
	zipDescribed  = 1 << 3 // its sizes and checksum come behind it
	zipHeader     = 30
	zipUnknown32  = 1<<32 - 1
	zipExtraSizes = 1 // zip64
)

// zipMember is the header of a member.
type zipMember struct {
	at            int64
	flags, method uint16
	sum           uint32
	packed, size  int64
	wide          bool // its sizes have 64 bits
	name          string
}

// hasUnknownSize reports whether the header does not say how long the data is.
func (m *zipMember) hasUnknownSize() bool { return m.flags&zipDescribed != 0 && m.packed == 0 }

// says is a hash of the facts of the member that the directory repeats.
func (m *zipMember) says() uint64 {
	return hashOf(fmt.Sprint(m.method, m.sum, m.packed, m.size, m.name)) | 1
}

// zipPlausible reports whether b begins with the header of a member, and not only
// with its signature, which can be in any data.
func zipPlausible(b []byte) bool {
	if len(b) < zipHeader || !bytes.HasPrefix(b, []byte(zipLocal)) {
		return false
	}
	version, method := b[4], binary.LittleEndian.Uint16(b[8:])
	return version <= 63 && (method <= 20 || method >= 93 && method <= 99) && binary.LittleEndian.Uint16(b[26:]) > 0
}

// readHeader reads the header of the member that comes next. It returns nil if it is
// torn.
func (z *zipArchive) readHeader() *zipMember {
	b := z.in.peekBytes(zipHeader)
	if len(b) < zipHeader {
		return nil
	}
	u16, u32 := binary.LittleEndian.Uint16, binary.LittleEndian.Uint32
	name, extra := int(u16(b[26:])), int(u16(b[28:]))
	m := &zipMember{at: z.in.offset, flags: u16(b[6:]), method: u16(b[8:]), sum: u32(b[14:]),
		packed: int64(u32(b[18:])), size: int64(u32(b[22:]))}
	whole := zipHeader + name + extra
	if b = z.in.peekBytes(whole); len(b) < whole {
		return nil
	}
	m.name = string(b[zipHeader : zipHeader+name])
	m.wide = readZip64(b[zipHeader+name:], &m.size, &m.packed)
	z.in.skipBytes(whole)
	return m
}

// readZip64 reads the values of 64 bits that are in an extra field in place of those
// that do not fit into 32, and reports whether there are any.
func readZip64(extra []byte, values ...*int64) bool {
	for len(extra) >= 4 {
		id, size := binary.LittleEndian.Uint16(extra), int(binary.LittleEndian.Uint16(extra[2:]))
		extra = extra[4:]
		field := extra[:min(size, len(extra))]
		extra = extra[len(field):]
		if id != zipExtraSizes {
			continue
		}
		for _, v := range values {
			if *v == zipUnknown32 && len(field) >= 8 {
				*v = int64(binary.LittleEndian.Uint64(field) &^ (1 << 63))
				field = field[8:]
			}
		}
		return true
	}
	return false
}

// readZipMember reads a member.
func (z *zipArchive) readZipMember() error {
	if z.dir.ended || z.dir.entries > 0 {
		if err := z.beginAnother(); err != nil {
			return err
		}
	}
	if len(z.members) >= z.limits.Members {
		return z.skipRest(finding.SourceLimit, fmt.Sprintf("an archive of more than %d members", z.limits.Members))
	}
	at := z.in.offset
	z.last = at
	m := z.readHeader()
	if m == nil {
		return z.skipTorn()
	}
	before, sized := z.consumed, m.flags&zipDescribed == 0
	err := z.readContent(m)
	if m.method == zipStored && m.flags&zipEncrypted == 0 {
		z.passUnit(at, before)
	} else {
		z.noteFollowed(at)
	}
	seen := zipSeen{at: at - z.start, sized: sized}
	if !m.hasUnknownSize() {
		seen.says = m.says()
	}
	z.members = append(z.members, seen)
	return err
}

// beginAnother begins an archive behind the directory of one.
func (z *zipArchive) beginAnother() error {
	torn := !z.dir.ended
	z.start, z.members, z.dir = z.in.offset, nil, zipDirectory{}
	if torn {
		return z.noteAt(z.in.offset, finding.SourceTruncated, "the directory does not end, and another archive follows")
	}
	return z.noteAt(z.in.offset, finding.SourceTrailingData, "another archive follows")
}

// quoted names a member in a sentence.
func (m *zipMember) quoted() string { return safetext.Excerpt(m.name, safetext.Value) }

// isDirectory reports whether the member is one.
func (m *zipMember) isDirectory() bool {
	return m.size == 0 && m.packed == 0 && m.flags&zipDescribed == 0 && len(m.name) > 0 && m.name[len(m.name)-1] == '/'
}
