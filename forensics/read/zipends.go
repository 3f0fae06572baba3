package read

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/svc-edge/svc-verify/finding"
)

// zipEnding has the values in an end of a directory.
type zipEnding struct {
	at                 int64 // its own offset
	count, size, place uint64
	parts              bool // the archive is one of several parts
}

const (
	zipEndSize     = 22
	zipEnd64Size   = 56
	zipLocatorSize = 20
	zipUnknown16   = 1<<16 - 1
)

// readEnd64 reads the end of a directory with values of 64 bits.
func (z *zipArchive) readEnd64() error {
	at, b := z.in.offset, z.in.peekBytes(zipEnd64Size)
	if len(b) == zipEnd64Size {
		u32, u64 := binary.LittleEndian.Uint32, binary.LittleEndian.Uint64
		z.dir.wide = &zipEnding{at: at, count: u64(b[32:]), size: u64(b[40:]), place: u64(b[48:]),
			parts: u32(b[16:]) != 0 || u32(b[20:]) != 0 || u64(b[24:]) != u64(b[32:])}
	}
	return z.passPart(12, 4, 8)
}

// readLocator reads the offset of that end.
func (z *zipArchive) readLocator() error {
	if b := z.in.peekBytes(zipLocatorSize); len(b) == zipLocatorSize && z.dir.wide != nil {
		u32, u64 := binary.LittleEndian.Uint32, binary.LittleEndian.Uint64
		z.dir.wide.parts = z.dir.wide.parts || u32(b[4:]) != 0 || u32(b[16:]) > 1
		z.dir.astray = u64(b[8:]) != uint64(z.dir.wide.at-z.start) // #nosec G115 -- it is behind the start
	}
	return z.passPart(zipLocatorSize, 0, 0)
}

// readEnd reads the end of the directory.
func (z *zipArchive) readEnd() error {
	at, b := z.in.offset, z.in.peekBytes(zipEndSize)
	if len(b) < zipEndSize {
		return z.skipTorn()
	}
	u16, u32 := binary.LittleEndian.Uint16, binary.LittleEndian.Uint32
	e := zipEnding{at: at, count: uint64(u16(b[10:])), size: uint64(u32(b[12:])), place: uint64(u32(b[16:])),
		parts: u16(b[4:]) != 0 || u16(b[6:]) != 0 || u16(b[8:]) != u16(b[10:])}
	again := bytes.Contains(z.in.peekBytes(zipEndSize + int(u16(b[20:])))[4:], []byte(zipEnd))
	if err := z.passPart(zipEndSize, 20, 2); err != nil {
		return err
	}
	z.dir.ended = true
	if doubt := z.whyDoubtful(e, again); doubt != "" {
		if err := z.noteAt(at, finding.SourceAmbiguous, doubt); err != nil {
			return err
		}
	}
	return z.noteUnlisted(at)
}

// whyDoubtful returns why readers may find different directories; "" if they cannot. With again
// the comment has another end. In an archive in parts, places count from each part. Info-ZIP
// leaves the place unknown if it writes to a pipe.
func (z *zipArchive) whyDoubtful(e zipEnding, again bool) string {
	differs := false
	if w := z.dir.wide; w != nil {
		differs = e.count != zipUnknown16 && e.count != w.count || e.size != zipUnknown32 && e.size != w.size ||
			e.place != zipUnknown32 && e.place != w.place || z.dir.astray
		w.parts = w.parts || e.parts
		e = *w
	}
	start := e.at
	if z.dir.entries > 0 {
		start = z.dir.at
	}
	// #nosec G115 -- neither is negative
	astray := e.place != uint64(start-z.start) && e.place != zipUnknown32 || e.size != uint64(e.at-start)
	switch {
	case e.count != uint64(z.dir.entries): // #nosec G115 -- a count
		return fmt.Sprintf("the directory has %d members, and is said to have %d", z.dir.entries, e.count)
	case differs:
		return "the directory has two ends that differ"
	case again:
		return "the comment of the archive has another end of a directory"
	case e.parts && z.leaf != nil:
		return "it is one of several parts"
	case !e.parts && astray:
		return "the directory is not where its end says"
	case !e.parts && z.dir.moved != "":
		return "the member " + z.dir.moved + " is not where the directory says"
	}
	return ""
}

// noteUnlisted notes the members that the directory leaves out.
func (z *zipArchive) noteUnlisted(at int64) error {
	left := 0
	for _, m := range z.members {
		if !m.listed {
			left++
		}
	}
	if left == 0 {
		return nil
	}
	return z.noteAt(at, finding.SourceAmbiguous,
		fmt.Sprintf("the directory leaves out %d of %d members, which were read", left, len(z.members)))
}
