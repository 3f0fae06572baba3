package read

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

var sevenMagic = []byte("7z\xbc\xaf\x27\x1c")

const (
	sevenStart     = 32       // octets of the header at the beginning
	maxSevenHeader = 32 << 20 // of the one at the end, packed or not
	maxSevenZip    = 1 << 50  // of the data before it
	maxEncoded     = 4        // headers that were packed, one within the other
)

// sevenArchiveReader is an archive of 7z. What says what is in it stands at its end:
// nothing is read of one that was cut.
type sevenArchiveReader struct {
	*stream
	room  content
	start int64
	size  int64
	names names
}

// sevenZip reads an archive of 7z.
func (s *stream) sevenZip() error {
	z := &sevenArchiveReader{stream: s, start: s.in.offset, names: make(names)}
	b := s.in.peek(sevenStart)
	if len(b) < sevenStart {
		return s.rest(finding.SourceTruncated, "the archive ends within its first header")
	}
	u64 := binary.LittleEndian.Uint64
	at, size, sum := u64(b[12:]), u64(b[20:]), binary.LittleEndian.Uint32(b[28:])
	switch {
	case crc32.ChecksumIEEE(b[12:32]) != binary.LittleEndian.Uint32(b[8:]):
		return s.rest(finding.SourceUnparseable, "the first header of the 7z archive is damaged")
	case size > maxSevenHeader || at > maxSevenZip:
		return s.rest(finding.SourceLimit, "the 7z archive says that it is larger than the limit")
	}
	z.size = sevenStart + int64(at+size)
	head := bytes.Clone(s.in.peek(excerptSize))
	room, ok, err := s.spool()
	if !ok || err != nil {
		return err
	}
	z.room = room
	if err := z.read(int64(at), int64(size), sum, head); err != nil || room.size <= z.size {
		return err
	}
	return s.skip(Skip{Place: Place{Container: s.container, Offset: z.start + z.size, Length: room.size - z.size},
		Code: finding.SourceTrailingData, Detail: "behind the end of the archive"})
}

// read reads the archive.
func (z *sevenArchiveReader) read(at, size int64, sum uint32, head []byte) error {
	if z.room.size < z.size {
		return z.whole(finding.SourceTruncated, "the 7z archive is cut off: what says what is in it stands at its end", head)
	}
	header := make([]byte, size)
	if _, err := z.room.ReadAt(header, sevenStart+at); err != nil && err != io.EOF {
		return err
	}
	if size > 0 && crc32.ChecksumIEEE(header) != sum {
		return z.whole(finding.SourceUnparseable, "the 7z archive cannot be read: its header is damaged", head)
	}
	d, err := z.directory(header)
	if err != nil {
		code := finding.SourceUnparseable
		if errors.Is(err, errMemory) || errors.Is(err, errExpansion) {
			code = finding.SourceLimit
		} else if errors.Is(err, errSevenMethod) {
			code = finding.SourceUnknownFormat
		}
		return z.whole(code, "the 7z archive cannot be read: "+err.Error(), head)
	}
	return z.members(d)
}

// whole skips the archive as a whole.
func (z *sevenArchiveReader) whole(code finding.Code, detail string, head []byte) error {
	return z.skip(Skip{Place: Place{Container: z.container, Offset: z.start, Length: min(z.size, z.room.size)},
		Code: code, Detail: detail, Excerpt: head})
}

// directory reads a header, which may be packed itself.
func (z *sevenArchiveReader) directory(header []byte) (d sevenDirectory, err error) {
	for range maxEncoded {
		if len(header) == 0 {
			return d, nil
		}
		r := &sevenReader{b: header, limit: z.limits.Members}
		switch r.octet() {
		case sevenHeader:
			if d = r.header(); r.bad {
				return d, errSevenHeader
			}
			return d, nil
		case sevenEncodedHeader:
			d := r.streams()
			if r.bad || len(d.folders) != 1 || d.folders[0].size() > maxSevenHeader {
				return d, errSevenHeader
			}
			if header, err = z.unpacked(&d, &d.folders[0]); err != nil {
				return d, err
			}
		default:
			return d, errSevenHeader
		}
	}
	return d, errSevenHeader
}

// unpacked returns what a folder holds.
func (z *sevenArchiveReader) unpacked(d *sevenDirectory, f *sevenFolderInfo) ([]byte, error) {
	r, err := z.open(d, f)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.LimitReader(r, f.size()))
	switch {
	case err != nil:
		return nil, err
	case int64(len(b)) < f.size() || f.sum != nil && *f.sum != crc32.ChecksumIEEE(b):
		return nil, errSevenHeader
	}
	return b, nil
}

// members reads the files.
func (z *sevenArchiveReader) members(d sevenDirectory) error {
	next := 0
	for i := range d.folders {
		f := &d.folders[i]
		r := &sevenContent{archive: z, folder: f, at: z.at(&d, f)}
		r.r, r.err = z.open(&d, f)
		for k := range f.files {
			for next < len(d.files) && d.files[next].noStream {
				if err := z.empty(d.files[next]); err != nil {
					return err
				}
				next++
			}
			file := sevenFile{name: fmt.Sprintf("content %d.%d", i, k)}
			if next < len(d.files) {
				file = d.files[next]
				next++
			}
			if err := r.file(file, f.files[k]); err != nil {
				return err
			}
		}
		if err := r.end(); err != nil {
			return err
		}
	}
	for _, file := range d.files[next:] {
		if err := z.empty(file); err != nil {
			return err
		}
	}
	if len(z.names) == 0 && len(d.folders) == 0 {
		return z.withoutFiles(z.start)
	}
	return nil
}

// at is where the data of a folder is.
func (z *sevenArchiveReader) at(d *sevenDirectory, f *sevenFolderInfo) Place {
	p := Place{Container: z.container, Offset: z.start}
	if f.packed < len(d.packed) {
		p.Offset += min(sevenStart+d.packed[f.packed].at, z.size)
		p.Length = min(d.packed[f.packed].size, z.start+z.size-p.Offset)
	}
	return p
}

// empty reads a file without content.
func (z *sevenArchiveReader) empty(f sevenFile) error {
	if !f.emptyFile {
		return nil
	}
	z.beginMember(f.name)
	defer z.endMember()
	step, err := z.named(z.names, f.name, z.start)
	if err != nil {
		return err
	}
	return z.within(step, bytes.NewReader(nil))
}

// sevenContent is what a folder holds: its files, one after the other.
type sevenContent struct {
	archive *sevenArchiveReader
	folder  *sevenFolderInfo
	at      Place
	r       io.Reader
	err     error // what ended it
	lost    int   // files that could not be read
	first   string
}

// Read implements io.Reader.
func (c *sevenContent) Read(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.r.Read(p)
	if c.archive.expanded(n); c.archive.tooLarge() {
		err = errExpansion
	}
	c.err = err
	return n, err
}

// file reads one file.
func (c *sevenContent) file(f sevenFile, s sevenSubstream) error {
	z := c.archive
	z.beginMember(f.name)
	defer z.endMember()
	if c.err != nil && s.size > 0 {
		if c.lost++; c.lost == 1 {
			c.first = f.name
		}
		return nil
	}
	sum := crc32.NewIEEE()
	part := &io.LimitedReader{R: c, N: s.size}
	content := io.TeeReader(part, sum)
	if f.mode != 0 && cpioKind(uint64(f.mode)) == isNoFile && s.size <= maxName {
		// What ends the folder is said at its end.
		_, _ = io.Copy(io.Discard, content)
		if z.leaf != nil {
			return z.takeLeaf(&Leaf{Member: z.current, Err: ErrLink})
		}
		return z.note(c.at.Offset, finding.SourceNoRecord,
			"not a file but a link or device: "+safetext.Excerpt(f.name, safetext.Value))
	}
	step, err := z.named(z.names, f.name, c.at.Offset)
	if err != nil {
		return err
	}
	if err := z.within(step, content); err != nil {
		return err
	}
	quoted := safetext.Excerpt(f.name, safetext.Value)
	switch {
	case part.N > 0:
		c.lost, c.first = 1, f.name
		if c.err == nil || c.err == io.EOF {
			c.err = io.ErrUnexpectedEOF
		}
	case s.sum != nil && *s.sum != sum.Sum32():
		return z.note(c.at.Offset, finding.SourceUnparseable, "the member "+quoted+" is damaged: wrong checksum")
	}
	return nil
}

// end says what could not be read of the folder.
func (c *sevenContent) end() error {
	if c.lost == 0 {
		return nil
	}
	skip := Skip{Place: c.at, Code: finding.SourceUnparseable}
	switch {
	case errors.Is(c.err, errExpansion), errors.Is(c.err, errMemory):
		skip.Code = finding.SourceLimit
	case errors.Is(c.err, errSevenMethod):
		skip.Code = finding.SourceUnknownFormat
	}
	skip.Detail = fmt.Sprintf("%s, from %s on: %v", safetext.Count(c.lost, "file"),
		safetext.Excerpt(c.first, safetext.Value), c.err)
	return c.archive.skip(skip)
}
