package read

import (
	"encoding/binary"
	"hash/crc32"
	"io"

	"github.com/ulikunitz/xz"
	"github.com/ulikunitz/xz/lzma"
)

// xzMagic begins a stream of xz.
const xzMagic = "\xfd7zXZ\x00"

func openXZ(r *reader, in *input, _ io.Reader) (io.Reader, error) {
	x := &xzSource{reader: r, parts: parts{in: in}}
	x.next = x.findHeader
	return xz.ReaderConfig{DictCap: lzma.MinDictCap, SingleStream: true}.NewReader(x)
}

// xzSource hands on one stream of xz (The .xz File Format, 1.2.1). It follows the
// structure of the stream, so that the decoder gets nothing behind it, and
// makes memory for no dictionary beyond the limit. All else is checked by the decoder.
type xzSource struct {
	*reader
	parts
	checksum int64 // its size in each block
	size     int64 // of the data of a block, or of the index
	blocks   int
	numbers  uint64 // of the index, that are left
}

// nextPart makes the next bytes a part, and then the function that finds the one behind it.
// If the stream ends within the part, it is the last. It reports whether it does not.
func (x *xzSource) nextPart(size int, then func() error) bool {
	x.left, x.next = int64(size), then
	if n := len(x.in.peekBytes(size)); n < size {
		x.left, x.next = int64(n), nil
	}
	return x.next != nil
}

func (x *xzSource) findHeader() error {
	if x.nextPart(12, x.findBlock) {
		x.checksum = [16]int64{0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64}[x.in.peekBytes(8)[7]&15]
	}
	return nil
}

// findBlock finds the header of a block, or the index.
func (x *xzSource) findBlock() error {
	x.size = 0
	if !x.nextPart(1, x.findCount) {
		return nil
	}
	size := int(x.in.peekBytes(1)[0])
	if size == 0 {
		return nil
	}
	if x.blocks++; x.blocks > x.limits.Members {
		return errMemory // the decoder remembers the size of each
	}
	if !x.nextPart((size+1)*4, x.findChunk) {
		return nil
	}
	dictionary, err := xzDictionary(x.in.peekBytes((size + 1) * 4))
	if err != nil {
		return err
	}
	return x.noteMemory(dictionary)
}

// xzDictionary returns how large the dictionary of a block is, by its header; 0 if the
// header is wrong.
func xzDictionary(head []byte) (int64, error) {
	const sizes, filters, lzma2 = 0xc0, 3, 0x21
	end := len(head) - 4
	if binary.LittleEndian.Uint32(head[end:]) != crc32.ChecksumIEEE(head[:end]) {
		return 0, nil
	}
	b := head[2:end]
	next := func() uint64 {
		v, n := binary.Uvarint(b)
		b = b[max(n, 0):]
		return v
	}
	for flags := head[1] & sizes; flags != 0; flags &= flags - 1 {
		next()
	}
	id, size := next(), next()
	switch {
	case len(b) == 0 || size != 1 && id == lzma2:
		return 0, nil
	case head[1]&filters != 0 || id != lzma2:
		return 0, unreadable{"it is filtered", "xz -dc FILE"}
	}
	return lzma2Dictionary(min(b[0], 40)), nil
}

// findChunk finds a chunk of LZMA2, with its head. Behind the last one are zeros and the
// checksum of the block.
func (x *xzSource) findChunk() error {
	b := x.in.peekBytes(5)
	size := 1
	switch {
	case len(b) > 0 && b[0] == 0:
		x.nextPart(1+int(-(x.size+1)&3+x.checksum), x.findBlock)
		return nil
	case len(b) >= 3 && b[0] <= 2:
		size = 3 + int(binary.BigEndian.Uint16(b[1:])) + 1
	case len(b) == 5 && b[0] >= 0x80:
		size = 5 + int(b[0]>>6&1) + int(binary.BigEndian.Uint16(b[3:])) + 1
	}
	x.size += int64(size)
	x.nextPart(size, x.findChunk)
	return nil
}

// findCount finds how many blocks the index is about.
func (x *xzSource) findCount() error {
	x.size = 1 // of the byte that marks the index
	x.numbers = 2 * min(x.findNumber(), 1<<62)
	return nil
}

// findSizes finds a size in the index or, behind the last one, the padding of the index, its
// checksum and the footer.
func (x *xzSource) findSizes() error {
	if x.numbers == 0 {
		x.nextPart(int(-x.size&3)+4+12, noMore)
		return nil
	}
	x.numbers--
	x.findNumber()
	return nil
}

// findNumber finds a number of the index.
func (x *xzSource) findNumber() uint64 {
	v, n := binary.Uvarint(x.in.peekBytes(9))
	n = max(n, 1) // the decoder refuses other bytes
	x.size += int64(n)
	x.nextPart(n, x.findSizes)
	return v
}

// lzma2Dictionary returns the size of a dictionary, as LZMA2 writes it in a byte of at most 40.
func lzma2Dictionary(b byte) int64 { return int64(2|b&1) << (b/2 + 11) }
