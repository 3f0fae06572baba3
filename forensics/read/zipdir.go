package read

import (
	"encoding/binary"
	"slices"

	"github.com/svc-edge/svc-verify/finding"
)

// zipDirectory is the read part of a directory.
type zipDirectory struct {
	entries int
	at      int64      // of the first entry
	wide    *zipEnding // the end with values of 64 bits; nil if there is none
	astray  bool       // that end is not at its recorded place
	moved   string     // a member at another place than its entry has; "" if none is
	ended   bool
	cut     bool // its last part is
	torn    bool
}

// zipEntrySize is the fixed part of an entry.
const zipEntrySize = 46

// readEntry reads an entry of the directory, and compares it with the member that it
// is about.
func (z *zipArchive) readEntry() error {
	at := z.in.offset
	b := z.in.peekBytes(zipEntrySize)
	if len(b) < zipEntrySize {
		return z.skipTorn()
	}
	u16, u32 := binary.LittleEndian.Uint16, binary.LittleEndian.Uint32
	name, extra := int(u16(b[28:])), int(u16(b[30:]))
	whole := zipEntrySize + name + extra + int(u16(b[32:]))
	if b = z.in.peekBytes(whole); len(b) < whole {
		return z.skipTorn()
	}
	m := &zipMember{flags: u16(b[8:]), method: u16(b[10:]), sum: u32(b[16:]), packed: int64(u32(b[20:])),
		size: int64(u32(b[24:])), at: int64(u32(b[42:])), name: string(b[zipEntrySize : zipEntrySize+name])}
	readZip64(b[zipEntrySize+name:zipEntrySize+name+extra], &m.size, &m.packed, &m.at)
	z.in.skipBytes(whole)
	z.passListed(at)
	if z.dir.entries++; z.dir.entries == 1 {
		z.dir.at = at
	}
	if z.leaf != nil && isZipLink(b) {
		if err := z.noteAt(at, finding.SourceAmbiguous,
			"the member "+m.quoted()+" is a link or device, and was read as a file"); err != nil {
			return err
		}
	}
	return z.compareEntry(at, m)
}

// compareEntry compares an entry with the members that were read, in most archives with the next
// one. Places count from each part of an archive in parts: the end shows whether a difference
// is a doubt.
func (z *zipArchive) compareEntry(at int64, m *zipMember) error {
	if next := z.dir.entries - 1; next < len(z.members) && !z.members[next].listed && z.members[next].says == m.says() &&
		!m.addsDescriptor(&z.members[next]) {
		z.members[next].listed = true
		if z.members[next].at != m.at {
			z.dir.moved = m.quoted()
		}
		return nil
	}
	i, ok := slices.BinarySearchFunc(z.members, m.at, func(s zipSeen, at int64) int { return int(s.at - at) })
	switch {
	case !ok:
		return z.noteAt(at, finding.SourceAmbiguous, "the directory has a member "+m.quoted()+" where none is")
	case z.members[i].listed:
		return z.noteAt(at, finding.SourceAmbiguous, "the directory has the member "+m.quoted()+" twice")
	}
	seen := &z.members[i]
	seen.listed = true
	if seen.says != 0 && seen.says != m.says() || m.addsDescriptor(seen) {
		return z.noteAt(at, finding.SourceAmbiguous,
			"the directory says other things of the member "+m.quoted()+" than its own header")
	}
	return nil
}

// addsDescriptor reports whether an entry has a descriptor behind a member that has none. Some
// readers then read the data that follows the member as one.
func (m *zipMember) addsDescriptor(s *zipSeen) bool { return m.flags&zipDescribed != 0 && s.sized }

// isZipLink reports whether an entry is of a member that is neither a file nor a directory, as
// systems with modes say. A member that zip reads from a pipe has the mode of a pipe.
func isZipLink(entry []byte) bool {
	const unix, mac = 3, 19
	kinds := []uint32{0, 0o010000, 0o040000, 0o100000} // none, a pipe, a directory and a file
	kind := binary.LittleEndian.Uint32(entry[38:]) >> 16 & 0o170000
	return (entry[5] == unix || entry[5] == mac) && !slices.Contains(kinds, kind)
}
