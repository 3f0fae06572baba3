package read

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"hash/crc64"
	"io"

	"github.com/ulikunitz/xz/lzma"
)

var xzMagic = []byte("\xfd7zXZ\x00")

// xzCodec reads streams of xz (The .xz File Format, 1.2.1). The library decodes
// LZMA2; the container around it is followed here, so that what it says of its
// sizes is checked before memory is made, and nothing is kept for each block.
type xzCodec struct{ *reader }

func (xzCodec) starts(b []byte) bool { return bytes.HasPrefix(b, xzMagic) }
func (xzCodec) find(b []byte) int    { return bytes.Index(b, xzMagic) }
func (xzCodec) close()               {}

func (c xzCodec) open(in *input) (io.Reader, error) {
	x := &xzStream{reader: c.reader, in: &counting{in: in}}
	return x, x.header()
}

// xzStream is one stream: a header, blocks, their index, and a footer.
type xzStream struct {
	*reader
	in      *counting
	flags   [2]byte
	newHash func() hash.Hash // of the content of a block
	block   *xzBlock         // the one that is read; nil between two

	blocks uint64
	sizes  hash.Hash64 // of the sizes of all blocks, which the index repeats
}

// xzBlock is one block.
type xzBlock struct {
	start   int64 // of its header
	content io.Reader
	hash    hash.Hash
	size    int64 // that was read
	said    int64 // of the content, -1 if it is not said
	packed  int64 // of the data, -1 if it is not said
	head    int64 // of the header
}

// Faults of xz.
var (
	errXZHeader = errors.New("a header is wrong")
	errXZIndex  = errors.New("the index and the blocks differ")
)

// header reads the header of the stream.
func (x *xzStream) header() error {
	b, err := x.in.take(12)
	if err != nil {
		return err
	}
	if binary.LittleEndian.Uint32(b[8:]) != crc32.ChecksumIEEE(b[6:8]) || b[6] != 0 || b[7] > 15 {
		return errXZHeader
	}
	x.flags = [2]byte{b[6], b[7]}
	x.sizes = crc64.New(crcECMA)
	switch b[7] {
	case 0:
	case 1:
		x.newHash = func() hash.Hash { return reversed{crc32.NewIEEE()} }
	case 4:
		x.newHash = func() hash.Hash { return reversed{crc64.New(crcECMA)} }
	case 10:
		x.newHash = sha256.New
	default:
		return fmt.Errorf("a checksum of kind %d, which is not known", b[7])
	}
	return nil
}

var crcECMA = crc64.MakeTable(crc64.ECMA)

// reversed is a checksum that is written in little-endian order.
type reversed struct{ hash.Hash }

func (r reversed) Sum(b []byte) []byte {
	n := len(b)
	b = r.Hash.Sum(b)
	for i, k := n, len(b)-1; i < k; i, k = i+1, k-1 {
		b[i], b[k] = b[k], b[i]
	}
	return b
}

// Read implements io.Reader.
func (x *xzStream) Read(p []byte) (n int, err error) {
	for x.block == nil {
		if err := x.next(); err != nil {
			return 0, err
		}
	}
	b := x.block
	err = contained(func() error {
		n, err = b.content.Read(p)
		return err
	})
	b.size += int64(n)
	if b.hash != nil {
		b.hash.Write(p[:n])
	}
	if err == io.EOF {
		err = x.endBlock()
	}
	return n, err
}

// next begins the next block, or ends the stream.
func (x *xzStream) next() error {
	head := x.in.in.peek(1)
	if len(head) == 0 {
		return io.ErrUnexpectedEOF
	}
	if head[0] == 0 {
		return x.tail()
	}
	start := x.in.n
	b, err := x.in.take((int(head[0]) + 1) * 4)
	if err != nil {
		return err
	}
	dictionary := int64(0)
	if x.block, dictionary, err = xzBlockHeader(b); err != nil {
		return err
	}
	x.block.start = start
	if x.newHash != nil {
		x.block.hash = x.newHash()
	}
	if err := x.reader.take(dictionary); err != nil {
		return err
	}
	return contained(func() (err error) {
		x.block.content, err = lzma.Reader2Config{DictCap: int(dictionary)}.NewReader2(x.in)
		return err
	})
}

// xzBlockHeader reads the header of a block, and how large its dictionary is.
func xzBlockHeader(b []byte) (_ *xzBlock, dictionary int64, err error) {
	block := &xzBlock{said: -1, packed: -1, head: int64(len(b))}
	end := len(b) - 4
	if binary.LittleEndian.Uint32(b[end:]) != crc32.ChecksumIEEE(b[:end]) || b[1]&0x3c != 0 {
		return nil, 0, errXZHeader
	}
	f := fields{b: b[2:end]}
	if b[1]&0x40 != 0 {
		block.packed = int64(f.number())
	}
	if b[1]&0x80 != 0 {
		block.said = int64(f.number())
	}
	id, size := f.number(), f.number()
	switch {
	case f.bad || len(f.b) == 0:
		return nil, 0, errXZHeader
	case b[1]&3 != 0 || id != 0x21:
		return nil, 0, errors.New("it is filtered; decompress it with xz first")
	case size != 1 || f.b[0] > 40:
		return nil, 0, errXZHeader
	}
	dictionary, _ = lzma2Dictionary(f.b[0])
	if block.said >= 0 {
		dictionary = max(lzma.MinDictCap, min(dictionary, block.said))
	}
	return block, dictionary, nil
}

// lzma2Dictionary returns the size of a dictionary, as LZMA2 writes it.
func lzma2Dictionary(b byte) (size int64, ok bool) {
	n := int64(b)
	return (2 | n&1) << (n/2 + 11), n <= 40
}

// endBlock checks what comes behind the content of a block.
func (x *xzStream) endBlock() error {
	b := x.block
	x.block = nil
	packed := x.in.n - b.start - b.head
	if b.said >= 0 && b.said != b.size || b.packed >= 0 && b.packed != packed {
		return errors.New("a block has another size than its header says")
	}
	if err := x.in.zeros(int(-(x.in.n - b.start) & 3)); err != nil {
		return err
	}
	unpadded := uint64(b.head + packed)
	if b.hash != nil {
		sum, err := x.in.take(b.hash.Size())
		if err != nil {
			return err
		}
		if !bytes.Equal(sum, b.hash.Sum(nil)) {
			return errChecksum
		}
		unpadded += uint64(len(sum))
	}
	x.blocks++
	x.sizes.Write(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, unpadded), uint64(b.size)))
	return nil
}

// tail reads the index and the footer, and what fills the stream. It returns
// io.EOF if all is right.
func (x *xzStream) tail() error {
	start := x.in.n
	x.in.sum = crc32.NewIEEE()
	if _, err := x.in.take(1); err != nil {
		return err
	}
	blocks, err := x.in.number()
	sizes := crc64.New(crcECMA)
	if err == nil && blocks != x.blocks {
		return errXZIndex
	}
	for i := uint64(0); i < blocks && err == nil; i++ {
		var unpadded, size uint64
		if unpadded, err = x.in.number(); err == nil {
			size, err = x.in.number()
		}
		sizes.Write(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, unpadded), size))
	}
	if err == nil {
		err = x.in.zeros(int(-(x.in.n - start) & 3))
	}
	if err != nil {
		return err
	}
	sum := x.in.sum.Sum32()
	x.in.sum = nil
	b, err := x.in.take(4 + 12)
	if err != nil {
		return err
	}
	index := x.in.n - start - 12
	switch {
	case binary.LittleEndian.Uint32(b) != sum:
		return errChecksum
	case sizes.Sum64() != x.sizes.Sum64():
		return errXZIndex
	}
	return x.footer(b[4:], index)
}

// footer checks the footer, and passes the zeros that may fill the stream.
func (x *xzStream) footer(b []byte, index int64) error {
	if binary.LittleEndian.Uint32(b) != crc32.ChecksumIEEE(b[4:10]) || string(b[10:]) != "YZ" ||
		[2]byte(b[8:]) != x.flags || 4*(int64(binary.LittleEndian.Uint32(b[4:]))+1) != index {
		return errors.New("the footer is wrong")
	}
	for bytes.Equal(x.in.in.peek(4), make([]byte, 4)) {
		x.in.in.skip(4)
	}
	return io.EOF
}
