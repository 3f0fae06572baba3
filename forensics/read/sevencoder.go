package read

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/ulikunitz/xz/lzma"
)

// errSevenMethod says that a method of 7z is not read.
var errSevenMethod = errors.New("give what \"7zz x\" makes of it")

// sevenMethods are the names of those that are not read, by their ids.
var sevenMethods = map[string]string{
	"\x06\xf1\x07\x01": "encrypted", "\x03\x04\x01": "compressed with PPMd", "\x04\x01\x09": "compressed with deflate64",
	"\x03\x03\x01\x03": "filtered", "\x03\x03\x01\x1b": "filtered", "\x03": "filtered", "\x04": "filtered",
	"\x0a": "filtered", "\x04\xf7\x11\x01": "compressed with zstd", "\x04\xf7\x11\x02": "compressed with brotli",
	"\x04\xf7\x11\x04": "compressed with LZ4",
}

// open opens what a folder holds.
func (z *sevenArchiveReader) open(d *sevenDirectory, f *sevenFolderInfo) (io.Reader, error) {
	for _, c := range f.coders { // what is encrypted has several
		if name, ok := sevenMethods[c.id]; ok {
			return nil, fmt.Errorf("it is %s; %w", name, errSevenMethod)
		}
	}
	if !f.simple || f.packed >= len(d.packed) {
		return nil, fmt.Errorf("it is filtered; %w", errSevenMethod)
	}
	p := d.packed[f.packed]
	var r io.Reader = io.NewSectionReader(z.room, sevenStart+p.at, min(p.size, z.size-sevenStart-p.at))
	for i := len(f.coders) - 1; i >= 0; i-- {
		var err error
		if r, err = z.decoder(r, f.coders[i], f.sizes[i]); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// decoder returns what a coder makes, which has a size.
func (z *sevenArchiveReader) decoder(from io.Reader, c sevenCoder, size int64) (r io.Reader, err error) {
	switch c.id {
	case "\x00":
		return from, nil
	case "\x04\x01\x08":
		return flate.NewReader(buffered(from)), nil
	case "\x04\x02\x02":
		err := z.take(900_000 * 4)
		return bzip2.NewReader(buffered(from)), err
	case "\x03\x01\x01":
		if len(c.properties) != 5 {
			return nil, errSevenHeader
		}
		head := append([]byte(c.properties), binary.LittleEndian.AppendUint64(nil, uint64(size))...)
		dictionary := int64(binary.LittleEndian.Uint32(head[1:]))
		if err := z.take(min(dictionary, size)); err != nil {
			return nil, err
		}
		return opened(func() (io.Reader, error) {
			return lzma.NewReader(buffered(io.MultiReader(bytes.NewReader(head), from)))
		})
	case "\x21":
		if len(c.properties) != 1 {
			return nil, errSevenHeader
		}
		dictionary, ok := lzma2Dictionary(c.properties[0])
		if !ok {
			return nil, errSevenHeader
		}
		dictionary = max(lzma.MinDictCap, min(dictionary, size))
		if err := z.take(dictionary); err != nil {
			return nil, err
		}
		return opened(func() (io.Reader, error) {
			return lzma.Reader2Config{DictCap: int(dictionary)}.NewReader2(buffered(from))
		})
	}
	return nil, fmt.Errorf("its method %x is not known; %w", c.id, errSevenMethod)
}

// opened opens a decoder that others wrote, and contains it.
func opened(open func() (io.Reader, error)) (r io.Reader, err error) {
	err = contained(func() (err error) {
		r, err = open()
		return err
	})
	return containedReader{r}, err
}

// buffered reads in pieces: decoders ask for single octets.
func buffered(r io.Reader) *bufio.Reader { return bufio.NewReaderSize(r, firstWindow) }

// containedReader takes a panic for damage.
type containedReader struct{ r io.Reader }

// Read implements io.Reader.
func (c containedReader) Read(p []byte) (n int, err error) {
	err = contained(func() (err error) {
		n, err = c.r.Read(p)
		return err
	})
	return n, err
}
