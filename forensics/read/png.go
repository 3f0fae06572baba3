package read

import (
	"encoding/binary"
	"hash/crc32"
	"slices"
)

// png follows an image in PNG from its beginning to its end: it is understood, and no
// evidence, if the sum of every chunk is right, none holds compressed text, and nothing
// follows the last one. The zero value is ready.
type png struct {
	head   []byte // of the chunk that is read: its length and type, and at last its sum
	left   int    // bytes of it that come next, without the sum
	sum    uint32
	begun  bool // behind the signature
	broken bool
	ended  bool
}

const pngSignature = "\x89PNG\r\n\x1a\n"

// followImage reads the next bytes.
func (p *png) followImage(b []byte) {
	const size, sumSize = 8, 4
	for len(b) > 0 && !p.broken {
		if p.left > 0 {
			n := min(p.left, len(b))
			p.sum = crc32.Update(p.sum, crc32.IEEETable, b[:n])
			b, p.left = b[n:], p.left-n
			continue
		}
		want := size
		if p.begun && len(p.head) >= size {
			want += sumSize
		}
		n := min(want-len(p.head), len(b))
		p.head, b = append(p.head, b[:n]...), b[n:]
		switch {
		case p.ended || len(p.head) < want:
			p.broken = p.ended
		case !p.begun:
			p.begun, p.broken, p.head = true, string(p.head) != pngSignature, p.head[:0]
		case want == size:
			length, kind := binary.BigEndian.Uint32(p.head), p.head[4:]
			p.left, p.sum = int(length), crc32.ChecksumIEEE(kind)
			p.broken = length >= 1<<31 || slices.Contains([]string{"zTXt", "iTXt"}, string(kind))
		default:
			p.broken = binary.BigEndian.Uint32(p.head[size:]) != p.sum
			p.ended = string(p.head[4:size]) == "IEND"
			p.head = p.head[:0]
		}
	}
}

// isWhole reports whether the bytes are one image and nothing else.
func (p *png) isWhole() bool { return p.ended && !p.broken }
