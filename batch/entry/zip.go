package entry

import (
	"bufio"
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/spool"
)

// isZip reports whether b begins with a zip archive, also with an empty one.
func isZip(b []byte) bool {
	return bytes.HasPrefix(b, []byte(zipLocal)) || bytes.HasPrefix(b, []byte(zipEnd))
}

// zip yields the members of an archive that are files.
//
// Some readers go by the directory at the end, others by the headers before each
// member, and both see the same only if the archive has nothing else: the members
// follow one another from the first octet, in the order of the directory, up to the
// directory. Where that does not hold, the archive is not read on. This takes no
// memory for each member, and no octet is decompressed twice.
func (c *content) zip() error {
	file, size, done, err := c.seekable()
	if err != nil {
		return c.broken(err)
	}
	defer done()
	z := &zipReader{file: file}
	if err := z.open(size); err != nil {
		return c.broken(err)
	}
	if z.count > uint64(c.source.Limits.Members) {
		return c.broken(c.tooMany())
	}
	for {
		m, err := z.next()
		switch {
		case err == nil && m == nil:
			return nil
		case err != nil:
			return c.broken(fmt.Errorf("the archive cannot be read behind its first %d members: %w", z.read, err))
		case m.directory():
			continue
		}
		if err := c.zipMember(z, m); err != nil {
			return err
		}
	}
}

// zipMember yields the entries of a member.
func (c *content) zipMember(z *zipReader, m *zipMember) error {
	at := c.member(m.name)
	if why := m.refused(); why != nil {
		return c.emit(at, Entry{Size: -1, Err: why})
	}
	if c.file != nil { // what comes through a reader is counted there
		c.work.read += m.packed
	}
	_, err := c.members(at, m.size, m.content(z.file, &c.work))
	return err
}

// seekable returns the content as something that can be read in any order. What is no
// file is kept in memory up to the size of a proof, and then in a temporary file.
func (c *content) seekable() (file io.ReaderAt, size int64, done func(), err error) {
	if c.file != nil {
		return c.file, c.size, func() {}, nil
	}
	if !c.fill(maxEntry) {
		return bytes.NewReader(c.head), int64(len(c.head)), func() {}, c.failed()
	}
	t, err := spool.Create(c.source.TempDir)
	if err != nil {
		return nil, 0, nil, &fatalError{access.WithoutPath(err)}
	}
	limit := c.source.Limits.Spool
	size, err = io.Copy(&kept{t}, io.LimitReader(c.whole(), limit+1))
	if err == nil && size > limit {
		err = fmt.Errorf("expected at most %d bytes of zip that is no file of its own, found more", limit)
	}
	done = func() { _ = t.Close() } // it was only read, and goes with the process
	if err != nil {
		done()
	}
	return t, size, done, err
}

// content returns the octets of a member. The error behind the last one says what is
// wrong with them.
func (m *zipMember) content(file io.ReaderAt, work *work) io.Reader {
	packed := bufio.NewReader(io.NewSectionReader(file, m.data, m.packed))
	c := &zipContent{member: m, packed: packed, r: packed}
	if m.method == zipDeflated {
		c.r, c.work = flate.NewReader(packed), work
	}
	return c
}

// zipContent checks what is said of a member.
type zipContent struct {
	member *zipMember
	packed *bufio.Reader
	r      io.Reader
	work   *work // nil if it is not compressed
	size   int64
	sum    uint32
	err    error
}

// Read implements io.Reader.
func (c *zipContent) Read(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.r.Read(p)
	c.sum = crc32.Update(c.sum, crc32.IEEETable, p[:n])
	c.size += int64(n)
	switch {
	case c.size > c.member.size: // also if it was the end, which is not told by every read
		err = fmt.Errorf("expected %d bytes, as the archive says, found more", c.member.size)
	case errors.Is(err, io.EOF):
		err = c.check()
	case err != nil:
		err = fmt.Errorf("the member is damaged: %w", access.WithoutPath(err))
	}
	if c.work != nil {
		if over := c.work.expanded(n); over != nil {
			err = over
		}
	}
	c.err = err
	return n, err
}

// check returns io.EOF if the member was as the archive says.
func (c *zipContent) check() error {
	switch _, more := c.packed.Peek(1); {
	case c.size != c.member.size:
		return fmt.Errorf("expected %d bytes, as the archive says, found %d", c.member.size, c.size)
	case c.sum != c.member.sum:
		return errors.New("the member is damaged: it has another checksum than the archive says")
	case more == nil:
		return errors.New("there is more behind the compressed data")
	}
	return io.EOF
}
