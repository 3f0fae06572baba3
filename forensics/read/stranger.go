package read

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"
	"unicode/utf16"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// hasFormat reports whether a file that begins with b has the format.
func (s *stranger) hasFormat(b []byte) bool {
	for _, m := range s.marks {
		if len(b) < m.at || !bytes.HasPrefix(b[m.at:], []byte(m.octets)) {
			return false
		}
	}
	return s.also == nil || s.also(b)
}

// judgeFile returns the code of a file of the format, its description, and the command that
// helps. found is true if it has events, and parcel if an archive seems to begin in it.
func (s *stranger) judgeFile(found, parcel bool) (code finding.Code, detail, help string) {
	switch {
	case found: // there can be more, written in the format's own way
		return finding.SourceUnknownFormat, s.what + ", in which events stand as they are", s.help
	case s.listed && parcel:
		return finding.SourceUnknownFormat, s.what + ", in which an archive begins", s.help
	case s.listed:
		return finding.SourceListed, s.what, s.help
	}
	return finding.SourceUnknownFormat, s.what, s.help
}

// strangerOf returns the format of a stream that is known but not read, by how the
// stream begins; nil if it is unknown.
func strangerOf(b []byte) *stranger {
	begins, _ := strangers()
	for i, s := range begins {
		if s.hasFormat(b) {
			return &begins[i]
		}
	}
	return nil
}

// beginningOf returns the beginning of an unknown stream.
func beginningOf(b []byte) string {
	if len(b) >= leastBlock && bytes.Count(b[:leastBlock], b[:1]) == leastBlock {
		return "no known format, beginning with a block of " + nameOf(b[0]) + ", as a crash or a fault of the storage leaves"
	}
	return "no known format, beginning with " + safetext.Excerpt(b, 16)
}

// tailSize is how far before the end of a file a format may have its mark.
const tailSize = 512

// tail is the last added bytes.
type tail []byte

func (t *tail) addBytes(b []byte) {
	if len(b) < tailSize {
		b = append(*t, b...)
	}
	*t = bytes.Clone(b[max(0, len(b)-tailSize):])
}

// strangerByEnd returns the format that has its mark at the end; nil if there is none.
func (t *tail) strangerByEnd() *stranger {
	_, ends := strangers()
	for i, s := range ends {
		m := s.marks[0]
		if from := len(*t) - m.at; from >= 0 && bytes.HasPrefix((*t)[from:], []byte(m.octets)) {
			return &ends[i]
		}
	}
	return nil
}

// mostMembers is how many members of a JSON value are named, and longestMember how
// much of each.
const (
	mostMembers   = 6
	longestMember = 32
)

// membersOf names the first members of a JSON object, so that a person can see
// what wrote it. It returns "" if it has none.
func membersOf(b []byte) string {
	var names []string
	more := 0
	c := cursor{b: b}
	// The walk itself cannot fail.
	_ = c.eachMember(func(name []byte) error {
		if len(names) == mostMembers {
			more++
		} else {
			names = append(names, safetext.Excerpt(name, longestMember))
		}
		return nil
	})
	switch {
	case len(names) == 0:
		return ""
	case more > 0:
		return fmt.Sprintf(", with the members %s and %d more", strings.Join(names, ", "), more)
	}
	return ", with the members " + strings.Join(names, ", ")
}

// isBinary reports whether the beginning of b has control characters that no text
// has.
func isBinary(b []byte) bool {
	const escape = 0x1b // begins colours
	return bytes.ContainsFunc(b[:min(len(b), 512)], func(r rune) bool {
		return r < '\t' || r > '\r' && r < ' ' && r != escape
	})
}

// isDeadLetter reports whether b begins as a segment of Logstash's dead letter queue: a
// version, and a record with its checksum that is whole, or the first part of one.
func isDeadLetter(b []byte) bool {
	const header = 14
	if len(b) < header || b[1] != 'c' && b[1] != 's' {
		return false
	}
	end := header + int(binary.BigEndian.Uint32(b[2:]))
	return end <= len(b) && crc32.ChecksumIEEE(b[header:end]) == binary.BigEndian.Uint32(b[10:])
}

// isKafkaBatch reports whether b begins as a compressed batch of records of Kafka's
// second format: its lengths and counts agree. Others are read as any bytes are.
func isKafkaBatch(b []byte) bool {
	if len(b) < 61 || b[0] != 0 || b[16] != 2 {
		return false
	}
	size, attributes := binary.BigEndian.Uint32(b[8:]), binary.BigEndian.Uint16(b[21:])
	last, count := binary.BigEndian.Uint32(b[23:]), binary.BigEndian.Uint32(b[57:])
	compression := attributes & 7
	return size >= 49 && size < 1<<30 && attributes < 1<<7 && compression > 0 && compression <= 4 &&
		last < 1<<24 && count <= last+1
}

// isHeapPage reports whether b begins with a page of a table or an index of
// PostgreSQL: its pointers are in order, and its size and version are known ones.
func isHeapPage(b []byte) bool {
	if len(b) < 24 {
		return false
	}
	lower, upper, special := binary.LittleEndian.Uint16(b[12:]), binary.LittleEndian.Uint16(b[14:]),
		binary.LittleEndian.Uint16(b[16:])
	size := binary.LittleEndian.Uint16(b[18:])
	return size == 8192|4 && lower >= 24 && lower <= upper && upper <= special && special <= 8192
}

// isInnoDB reports whether b begins as the first page of a tablespace of InnoDB: it
// is page 0, of that type, and names its space twice.
func isInnoDB(b []byte) bool {
	return len(b) >= 42 && bytes.Equal(b[34:38], b[38:42]) && !bytes.Equal(b[34:38], make([]byte, 4))
}

// isLZMA reports whether b begins as LZMA without a container: a size of the
// dictionary that encoders use, and a size of the content that is unknown or small.
func isLZMA(b []byte) bool {
	if len(b) < 14 {
		return false
	}
	dictionary, size := binary.LittleEndian.Uint32(b[1:]), binary.LittleEndian.Uint64(b[5:])
	power := dictionary&(dictionary-1) == 0 || dictionary%3 == 0 && (dictionary/3)&(dictionary/3-1) == 0
	return dictionary >= 1<<12 && power && (size == 1<<64-1 || size < 1<<40) && b[13] == 0
}

// isExt reports whether b begins as a file system does that leaves the first sector to a
// program that starts a machine, and has none.
func isExt(b []byte) bool { return len(b) >= 512 && len(bytes.Trim(b[:512], "\x00")) == 0 }

// isFont reports whether b begins with the directory of a font: the number of its tables,
// and the largest power of two in it.
func isFont(b []byte) bool {
	if len(b) < 12 {
		return false
	}
	tables, search := binary.BigEndian.Uint16(b[4:]), binary.BigEndian.Uint16(b[6:])
	return tables > 0 && tables < 256 && search&(search-1) == 0 && search <= tables*16 && search > tables*8
}

// isThumbs reports whether b begins as a compound file whose first streams have the names of
// pictures: a number, or a size and a number; or the name of their list.
func isThumbs(b []byte) bool {
	const header, sector, entry, entries = 512, 512, 128, 4
	if len(b) < header {
		return false
	}
	at := header + int64(binary.LittleEndian.Uint32(b[48:]))*sector
	named := 0
	for i := int64(1); i < entries && at+sector <= int64(len(b)); i++ {
		e := b[at+i*entry:][:entry]
		name := make([]uint16, min(31, max(0, int(binary.LittleEndian.Uint16(e[64:]))/2-1)))
		for j := range name {
			name[j] = binary.LittleEndian.Uint16(e[2*j:])
		}
		switch text := string(utf16.Decode(name)); {
		case text == "":
		case text == "Catalog", strings.Trim(text, "0123456789abcdef_") == "" && '0' <= text[0] && text[0] <= '9':
			named++
		default:
			return false
		}
	}
	return named > 0
}

// isPE reports whether the header of a DOS program points to the header of a Windows program.
func isPE(b []byte) bool {
	if len(b) < 64 {
		return false
	}
	at := uint64(binary.LittleEndian.Uint32(b[60:]))
	return at+4 <= uint64(len(b)) && string(b[at:at+4]) == "PE\x00\x00"
}

// isPGP reports whether b begins with a packet of an encrypted OpenPGP message (RFC
// 9580, sections 5.1 and 5.3): a session key for a key or a passphrase.
func isPGP(b []byte) bool {
	if len(b) < 16 {
		return false
	}
	switch b[0] {
	case 0x84, 0x8c: // with a length of one byte
		return b[0] == 0x84 && b[2] == 3 && isPGPAlgorithm(b[11]) || b[0] == 0x8c && b[1] < 64 && (b[2] == 4 || b[2] == 6)
	case 0x85: // with a length of two bytes
		return b[3] == 3 && isPGPAlgorithm(b[12])
	case 0xc1, 0xc3: // with a length in the new form
		return b[1] < 192 && (b[2] == 3 || b[2] == 4 || b[2] == 6) || b[1] < 224 && b[3] == 3 && isPGPAlgorithm(b[12])
	}
	return false
}

// isArmoured reports whether the content of an armoured message (RFC 9580, section 6.2)
// is encrypted. It is behind an empty line.
func isArmoured(b []byte) bool {
	const most, looked = 4096, 32
	_, text, _ := strings.Cut(strings.ReplaceAll(string(b[:min(len(b), most)]), "\r", ""), "\n\n")
	content, err := base64.StdEncoding.DecodeString(text[:min(len(text), looked)])
	return err == nil && isPGP(content)
}

// isPGPAlgorithm reports whether keys of this algorithm encrypt (RFC 9580, section
// 9.1).
func isPGPAlgorithm(n byte) bool { return n == 1 || n == 2 || n == 16 || n == 18 || n == 25 || n == 26 }

// isZ reports whether b begins as compress (.Z) writes it: with 9 to 16 bits.
func isZ(b []byte) bool { return len(b) > 3 && b[2]&0x60 == 0 && b[2]&0x1f >= 9 && b[2]&0x1f <= 16 }

// isWAL reports whether b begins as a segment of PostgreSQL's write-ahead log: a
// long header, with sizes of segment and block that are powers of two.
func isWAL(b []byte) bool {
	if len(b) < 40 || b[1] != 0xd0 && b[1] != 0xd1 || b[2]&2 == 0 {
		return false
	}
	segment, block := binary.LittleEndian.Uint32(b[32:]), binary.LittleEndian.Uint32(b[36:])
	return segment >= 1<<20 && segment&(segment-1) == 0 && block >= 1<<10 && block <= 1<<16 && block&(block-1) == 0
}
