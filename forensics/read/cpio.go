package read

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strconv"
)

// maxName is how long the name of a member may be.
const maxName = 64 << 10

var errHeader = errors.New("no header of a member")

// cpioPacker reads cpio: the formats newc and crc with numbers in hexadecimal
// digits, odc in octal ones, and the old one in words of 16 bits.
type cpioPacker struct{ sized }

func openCpio(s *stream) packer { return &cpioPacker{sized: sized{in: s.in}} }

// cpioHeader is what matters of a header.
type cpioHeader struct {
	size          int // of the header itself
	mode          uint64
	name, content int64 // their sizes
	align         int64 // what both fill
}

// cpioHead reads the header that b begins with.
func cpioHead(b []byte) (h cpioHeader, ok bool) {
	switch {
	case len(b) < 26:
		return h, false
	case bytes.HasPrefix(b, []byte("070701")) || bytes.HasPrefix(b, []byte("070702")):
		n, ok := numbers(b, 16, 6, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8)
		if !ok {
			return h, false
		}
		h = cpioHeader{size: 110, mode: n[1], name: int64(n[11]), content: int64(n[6]), align: 4}
	case bytes.HasPrefix(b, []byte("070707")):
		n, ok := numbers(b, 8, 6, 6, 6, 6, 6, 6, 6, 6, 11, 6, 11)
		if !ok {
			return h, false
		}
		h = cpioHeader{size: 76, mode: n[2], name: int64(n[8]), content: int64(n[9]), align: 1}
	case binary.LittleEndian.Uint16(b) == 0o070707:
		word := func(i int) int64 { return int64(binary.LittleEndian.Uint16(b[2*i:])) }
		h = cpioHeader{size: 26, mode: uint64(word(3)), name: word(10), content: word(11)<<16 | word(12), align: 2}
	default:
		return h, false
	}
	return h, h.name > 0 && h.name <= maxName && len(b) >= h.size
}

// numbers reads numbers of some digits each, behind a magic of so many octets.
func numbers(b []byte, base, magic int, digits ...int) ([]uint64, bool) {
	var all []uint64
	for _, n := range digits {
		if len(b) < magic+n {
			return nil, false
		}
		v, err := strconv.ParseUint(string(b[magic:magic+n]), base, 63)
		if err != nil {
			return nil, false
		}
		all = append(all, v)
		magic += n
	}
	return all, true
}

// starts looks at the name, too, since the magic of the old format is two octets.
func (c *cpioPacker) starts(b []byte) bool { return cpioStart(b) }

func cpioStart(b []byte) bool {
	h, ok := cpioHead(b)
	if !ok {
		return false
	}
	name := b[h.size:min(len(b), h.size+int(h.name))]
	end := bytes.IndexByte(name, 0)
	return end == int(h.name)-1 && end > 0 && plainName(string(name[:end])) || end < 0 && len(b) == headerSize
}

func (c *cpioPacker) next() (entry, error) {
	if err := c.pass(); err != nil {
		return entry{}, err
	}
	b := c.in.peek(headerSize)
	h, ok := cpioHead(b)
	switch {
	case len(b) == 0 || !ok && len(b) < 110:
		return entry{}, io.ErrUnexpectedEOF
	case !ok:
		return entry{}, errHeader
	}
	fill := func(n int64) int64 { return -n & (h.align - 1) }
	size := int64(h.size) + h.name
	b, err := c.header(int(size + fill(size)))
	if err != nil {
		return entry{}, io.ErrUnexpectedEOF
	}
	name, _, _ := bytes.Cut(b[h.size:size], []byte{0})
	e := entry{name: string(name), kind: h.kind()}
	c.in.skip(len(b))
	c.left, c.fill = h.content, fill(h.content)
	if e.name == "TRAILER!!!" {
		return entry{}, io.EOF
	}
	return e, nil
}

// kind returns the kind of a member. A folder has no content, and a link no more than a
// name: a member that has is read, whatever its mode says.
func (h *cpioHeader) kind() entryKind {
	kind := cpioKind(h.mode)
	if kind == isAside && h.content > 0 || h.content > maxName {
		return isFile
	}
	return kind
}

// cpioKind returns the kind of a member by its mode.
func cpioKind(mode uint64) entryKind {
	switch mode & 0o170000 {
	case 0o100000, 0:
		return isFile
	case 0o040000:
		return isAside
	}
	return isNoFile
}
