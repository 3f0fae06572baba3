package read

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"

	"github.com/svc-edge/svc-verify/finding"
)

// Methods of compression. Members of the last ones are streams that are known by
// themselves: they are handed on as they are.
const (
	zipStored   = 0
	zipDeflated = 8
	zipBzip2    = 12
	zipZstd     = 93
	zipXZ       = 95
)

// zipMethods are the names of those that are not read.
var zipMethods = map[uint16]string{1: "shrink", 6: "implode", 9: "deflate64", 14: "LZMA", 94: "MP3", 97: "WavPack",
	98: "PPMd", 99: "AES"}

// readContent reads the content of a member, to the next header.
func (z *zipArchive) readContent(m *zipMember) error {
	if m.isDirectory() {
		return nil
	}
	z.told = true
	z.beginMember(m.name)
	defer z.endMember()
	at := z.in.offset
	switch {
	case m.flags&zipEncrypted != 0 || m.method == 99:
		return z.refuseMember(m, "is encrypted; give what \"7zz x\" makes of it with the password")
	case m.method == zipStored, m.method == zipDeflated:
	case m.method == zipBzip2, m.method == zipZstd, m.method == zipXZ:
		if m.hasUnknownSize() {
			return z.refuseMember(m, "is compressed, and its length is not said; give what \"7zz x\" makes of it")
		}
	default:
		name, ok := zipMethods[m.method]
		if !ok {
			name = fmt.Sprintf("method %d", m.method)
		}
		return z.refuseMember(m, "is compressed with "+name+"; give what \"7zz x\" makes of it")
	}
	step, err := z.memberStep(z.names, m.name, at)
	if err != nil {
		return err
	}
	c := newZipContent(z, m)
	if err := z.readDecoded(step, c); err != nil {
		return err
	}
	return c.endMember(at)
}

// refuseMember skips a member that cannot be read.
func (z *zipArchive) refuseMember(m *zipMember, why string) error {
	return z.skipLeft(m, m.packed, finding.SourceUnknownFormat, "the member "+m.quoted()+" "+why)
}

// skipLeft skips so many bytes that are left of a member.
func (z *zipArchive) skipLeft(m *zipMember, left int64, code finding.Code, detail string) error {
	at, head := z.in.offset, bytes.Clone(z.in.peekBytes(excerptSize))
	switch {
	case m.hasUnknownSize():
		z.seekPlace(zipHeader, findZipPart)
	case z.in.discardBytes(left) < left:
		detail += "; it is cut off"
	default:
		z.readDescriptor(m, nil)
	}
	if z.in.offset == at {
		return z.noteAt(at, code, detail)
	}
	return z.skip(Skip{Place: z.placeFrom(at), Code: code,
		Detail: detail, Excerpt: head})
}

// zipContent is the content of a member.
type zipContent struct {
	archive *zipArchive
	member  *zipMember
	in      *parts
	r       io.Reader
	sum     hash.Hash32
	size    int64
	err     error
}

// noLimit is the length of a member that does not state it.
const noLimit = 1 << 62

func newZipContent(z *zipArchive, m *zipMember) *zipContent {
	c := &zipContent{archive: z, member: m, in: &parts{in: z.in, left: m.packed, next: noMore}, sum: crc32.NewIEEE()}
	if m.hasUnknownSize() {
		c.in.left = noLimit
	}
	switch {
	case m.method == zipDeflated:
		c.r = &expansion{r: z.inflaterFor(c.in), stream: z.stream}
	case m.hasUnknownSize():
		c.r = &zipUntil{c}
	default:
		c.r = c.in
	}
	return c
}

// inflaterFor returns the decoder of the archive, which is made once.
func (z *zipArchive) inflaterFor(in *parts) io.Reader {
	if z.inflate == nil {
		z.inflate = flate.NewReader(in)
		return z.inflate
	}
	// Reset of such a reader returns no error.
	_ = z.inflate.(flate.Resetter).Reset(in, nil)
	return z.inflate
}

// Read implements io.Reader.
func (c *zipContent) Read(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.r.Read(p)
	c.sum.Write(p[:n])
	c.size += int64(n)
	c.err = err
	return n, err
}

// zipUntil reads a stored member without a length in its header, up to the descriptor with it:
// one whose checksum and length match the bytes before it.
type zipUntil struct{ *zipContent }

// Read implements io.Reader.
func (u *zipUntil) Read(p []byte) (int, error) {
	w := u.in.in.peekBytes(min(len(p)+maxDescriptor, firstWindow))
	n := len(w)
	if i := bytes.Index(w, []byte(zipDescriptor)); i > 0 {
		n = i
	} else if i == 0 {
		if u.hasDescriptor(w) {
			return 0, io.EOF
		}
		n = min(n, 1)
	} else if n >= 4 {
		n -= 3
	}
	if n == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	return u.in.Read(p[:min(len(p), n)])
}

// hasDescriptor reports whether w begins with the descriptor of the bytes read.
func (u *zipUntil) hasDescriptor(w []byte) bool {
	for _, width := range []int{4, 8} {
		if sum, packed, size, ok := zipSizes(w[4:], width); ok && sum == u.sum.Sum32() && packed == u.size &&
			size == u.size {
			return true
		}
	}
	return false
}

// maxDescriptor is the size of a descriptor with its signature.
const maxDescriptor = 4 + 4 + 16

// zipSizes reads a descriptor whose sizes have so many bytes.
func zipSizes(b []byte, width int) (sum uint32, packed, size int64, ok bool) {
	if len(b) < 4+2*width {
		return 0, 0, 0, false
	}
	number := func(b []byte) int64 {
		if width == 8 {
			return int64(binary.LittleEndian.Uint64(b))
		}
		return int64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint32(b), number(b[4:]), number(b[4+width:]), true
}

// endMember goes to the end of the member, and reports its fault.
func (c *zipContent) endMember(at int64) error {
	z, m, left := c.archive, c.member, c.in.left
	what := "the member " + m.quoted()
	packed := z.in.offset - at
	switch {
	case errors.Is(c.err, errExpansion):
		if err := z.noteAt(z.in.offset, finding.SourceLimit, what+" expands beyond the limit"); err != nil {
			return err
		}
		return z.skipLeft(m, left, finding.SourceLimit, "the rest of that member")
	case errors.Is(c.err, io.ErrUnexpectedEOF) && len(z.in.peekBytes(1)) == 0:
		return z.noteAt(z.in.offset, finding.SourceTruncated, "the archive ends within "+what)
	case !errors.Is(c.err, io.EOF):
		return z.skipLeft(m, left, finding.SourceUnparseable, what+" is damaged: "+c.err.Error())
	}
	if !m.hasUnknownSize() && left > 0 {
		if err := z.skipLeft(m, left, finding.SourceTrailingData, "behind the end of "+what); err != nil {
			return err
		}
	}
	return c.checkSizes(packed)
}

// checkSizes compares the bytes read of a member with its headers.
func (c *zipContent) checkSizes(packed int64) error {
	z, m := c.archive, c.member
	if m.flags&zipDescribed != 0 {
		found := z.readDescriptor(m, &zipMember{packed: packed, size: c.size, sum: c.sum.Sum32()})
		if !found && m.hasUnknownSize() {
			return z.noteAt(z.in.offset, finding.SourceAmbiguous,
				"no size and checksum of the member "+m.quoted()+" that fit it")
		}
	}
	if m.method != zipStored && m.method != zipDeflated {
		return nil // its decoder checks it
	}
	switch {
	case m.sum != c.sum.Sum32():
		return z.noteAt(z.in.offset, finding.SourceUnparseable, "the member "+m.quoted()+" is damaged: wrong checksum")
	case m.size != c.size:
		return z.noteAt(z.in.offset, finding.SourceAmbiguous,
			fmt.Sprintf("the member %s has %d bytes, and is said to have %d", m.quoted(), c.size, m.size))
	}
	return nil
}

// readDescriptor consumes the descriptor after a member, reads it, and reports whether there is
// one. Its signature may be missing, and the width of its sizes is not stated: found has the
// facts of the bytes read, nil if none were.
func (z *zipArchive) readDescriptor(m, found *zipMember) bool {
	if m.flags&zipDescribed == 0 {
		return false
	}
	b := z.in.peekBytes(maxDescriptor)
	for _, sign := range []int{4, 0} {
		if sign > 0 && !bytes.HasPrefix(b, []byte(zipDescriptor)) {
			continue
		}
		for _, width := range []int{4, 8} {
			sum, packed, size, ok := zipSizes(b[min(sign, len(b)):], width)
			fits := found != nil && packed == found.packed && size == found.size ||
				found == nil && sign > 0 && packed == m.packed
			if ok && fits {
				m.sum, m.packed, m.size = sum, packed, size
				m.flags &^= zipDescribed
				z.in.skipBytes(sign + 4 + 2*width)
				return true
			}
		}
	}
	return false
}
