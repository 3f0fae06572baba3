package confined

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"strconv"

	"github.com/bodgit/sevenzip"
)

// sevenStart is the size of the header at the beginning of a 7z archive.
const sevenStart = 32

// decodeSevenZip writes the members of a 7z archive.
func decodeSevenZip(r *io.SectionReader, o *output) error {
	z, err := sevenzip.NewReader(r, r.Size())
	if err != nil {
		return sevenFault(r, err)
	}
	for _, f := range z.File {
		switch mode := f.Mode(); {
		case mode.IsDir():
			continue
		case mode&fs.ModeType != 0:
			err = o.writeNamed(Link, f.Name)
		default:
			err = o.writeMember(f.Name, func() (io.Reader, error) { return openSeven(f) })
		}
		if err != nil {
			return err
		}
	}
	switch end, size := sevenEnd(r), uint64(r.Size()); {
	case end > size:
		return &Fault{Truncated, "it says that it is larger than it is"}
	case end > 0 && end < size:
		o.writeNote(&Fault{Behind, strconv.FormatUint(end, 10)})
	}
	return nil
}

// sevenEnd returns where the archive ends by its first header, 0 if that is damaged.
func sevenEnd(r io.ReaderAt) uint64 {
	head := make([]byte, sevenStart)
	if _, err := r.ReadAt(head, 0); err != nil || crc32.ChecksumIEEE(head[12:]) != binary.LittleEndian.Uint32(head[8:]) {
		return 0
	}
	at, size := binary.LittleEndian.Uint64(head[12:]), binary.LittleEndian.Uint64(head[20:])
	if at > 1<<60 || size > 1<<60 {
		return 0
	}
	return sevenStart + at + size
}

// sevenFault is an error with its status: the header at the end is missing from a file that
// was cut.
func sevenFault(r *io.SectionReader, err error) error {
	if r.Size() < sevenStart || sevenEnd(r) > uint64(r.Size()) {
		return &Fault{Truncated, "its end, where the list of its members is, is missing"}
	}
	return encryptedFault(err)
}

// encryptedFault gives an error its status if a password is missing.
func encryptedFault(err error) error {
	if locked := (*sevenzip.ReadError)(nil); errors.As(err, &locked) && locked.Encrypted {
		return &Fault{Unknown, "it is encrypted"}
	}
	return err
}

// openSeven opens a member, whose checksum is compared at its end.
func openSeven(f *sevenzip.File) (io.Reader, error) {
	r, err := f.Open()
	if err != nil {
		return nil, encryptedFault(err)
	}
	return &sevenContent{r: r, file: f}, nil
}

type sevenContent struct {
	r    io.ReadCloser
	file *sevenzip.File
	sum  uint32
	size uint64
}

// Read implements io.Reader.
func (c *sevenContent) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.sum, c.size = crc32.Update(c.sum, crc32.IEEETable, p[:n]), c.size+uint64(n)
	switch {
	case err == nil:
		return n, nil
	case err != io.EOF:
		return n, encryptedFault(err)
	case c.size < c.file.UncompressedSize:
		return n, io.ErrUnexpectedEOF
	case c.file.CRC32 != 0 && c.file.CRC32 != c.sum:
		return n, errors.New("wrong checksum")
	}
	if closed := c.r.Close(); closed != nil {
		return n, closed
	}
	return n, io.EOF
}
