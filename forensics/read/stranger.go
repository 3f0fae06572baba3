package read

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

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
	_ = c.object(func(name []byte) error {
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

// isKafkaBatch reports whether b begins as a compressed batch of records of Kafka's
// second format: its lengths and counts agree. Others are read as any octets are.
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

// isPE reports whether the header of a DOS program points to that of a Windows
// program.
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
	case 0x84, 0x8c: // with a length of one octet
		return b[0] == 0x84 && b[2] == 3 && isPGPAlgorithm(b[11]) || b[0] == 0x8c && b[1] < 64 && (b[2] == 4 || b[2] == 6)
	case 0x85: // with a length of two octets
		return b[3] == 3 && isPGPAlgorithm(b[12])
	case 0xc1, 0xc3: // with a length in the new form
		return b[1] < 192 && (b[2] == 3 || b[2] == 4 || b[2] == 6) || b[1] < 224 && b[3] == 3 && isPGPAlgorithm(b[12])
	}
	return false
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
