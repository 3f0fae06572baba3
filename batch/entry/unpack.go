package entry

import (
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/svc-edge/svc-verify/internal/access"
)

// compression is a kind of compressed data.
type compression struct {
	name  string
	magic string
	open  func(io.Reader) (io.ReadCloser, error) // nil if it is known, but not read
}

var compressions = []compression{
	{"gzip", "\x1f\x8b\x08", func(r io.Reader) (io.ReadCloser, error) { return gzip.NewReader(r) }},
	{"zstd", "\x28\xb5\x2f\xfd", openZstd},
	{"zstd", "\x50\x2a\x4d\x18", openZstd}, // a frame to be skipped, as pzstd writes it first
	{"bzip2", "BZh", func(r io.Reader) (io.ReadCloser, error) { return io.NopCloser(bzip2.NewReader(r)), nil }},
	{"xz", "\xfd7zXZ\x00", nil},
	{"lz4", "\x04\x22\x4d\x18", nil},
	{"7z", "7z\xbc\xaf\x27\x1c", nil},
}

// maxWindow is how much memory the window of zstd can take: what "zstd --ultra -20"
// needs.
const maxWindow = 32 << 20

func openZstd(r io.Reader) (io.ReadCloser, error) {
	d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, err
	}
	return d.IOReadCloser(), nil
}

// compressed returns how the content is compressed, or nil.
func (c *content) compressed() *compression {
	if c.at.packed > 0 {
		return nil
	}
	for i := range compressions {
		if bytes.HasPrefix(c.head, []byte(compressions[i].magic)) && (compressions[i].name != "bzip2" || isBzip2(c.head)) {
			return &compressions[i]
		}
	}
	return nil
}

// isBzip2 reports whether b begins with a level and a block, or with the end of no
// blocks. The magic octets alone can begin a text.
func isBzip2(b []byte) bool {
	return len(b) >= 10 && b[3] >= '1' && b[3] <= '9' &&
		(string(b[4:10]) == "\x31\x41\x59\x26\x53\x59" || string(b[4:10]) == "\x17\x72\x45\x38\x50\x90")
}

// unpack yields the entries of what is compressed.
func (c *content) unpack(how *compression) error {
	if how.open == nil {
		return c.broken(fmt.Errorf("it is compressed with %s, which is not read: unpack it first", how.name))
	}
	r, err := how.open(c.whole())
	if err != nil {
		return c.broken(how.fault(err))
	}
	defer func() { _ = r.Close() }() // what is wrong was said by reading
	in := &content{walk: c.walk, at: c.at, size: -1, r: &unpacked{how: how, r: r, work: &c.work}}
	in.at.packed++
	return in.examine()
}

// unpacked is what decompression makes.
type unpacked struct {
	how  *compression
	r    io.Reader
	work *work
}

// Read implements io.Reader.
func (u *unpacked) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	if over := u.work.expanded(n); over != nil {
		return n, over
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = u.how.fault(err)
	}
	return n, err
}

// fault says what is wrong with compressed data.
func (how *compression) fault(err error) error {
	if fatal := new(fatalError); errors.As(err, &fatal) {
		return err
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return fmt.Errorf("the %s data ends too early", how.name)
	}
	return fmt.Errorf("the %s data is damaged: %w", how.name, access.WithoutPath(err))
}

// work is what was read of a file, and made of that.
type work struct {
	limits     Limits
	read, made int64
}

// PerEntry is how many octets an entry of what is decompressed counts for beside its
// own: a record of it costs what that many octets do. A proof has far more.
const PerEntry = 1 << 10

// expanded counts what decompression made, and returns an error if that is too much.
func (w *work) expanded(n int) error {
	w.made += int64(n)
	if w.made > w.limits.Free && w.made-w.limits.Free > w.limits.Expansion*w.read {
		return fmt.Errorf("it expands to more than %d times its size, with %d bytes more for each entry",
			w.limits.Expansion, PerEntry)
	}
	return nil
}

// entered counts an entry, if decompression made any of what was read.
func (w *work) entered() {
	if w.made > 0 {
		w.made += PerEntry
	}
}

// counted counts what is read of a file, and ends with the context.
type counted struct {
	ctx  context.Context
	r    io.Reader
	work *work
}

// Read implements io.Reader.
func (c *counted) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := c.r.Read(p)
	c.work.read += int64(n)
	return n, err
}
