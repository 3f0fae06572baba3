package bag

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/listing"
)

// member is one file of a bag, or something in the place of one.
type member struct {
	name string
	size int64
	// code and err say why it is not read; err is nil for a file.
	code finding.Code
	err  error
	open func() (octets, error)
}

// octets are the bytes of a file. A file in a folder can have more or fewer than its size
// states.
type octets interface {
	io.ReaderAt
	io.Closer
}

// section is a part of an archive.
type section struct{ *io.SectionReader }

func (section) Close() error { return nil }

// source is where a bag is. It yields its members more than once; an error is the
// last thing that it yields.
type source interface {
	members(ctx context.Context) iter.Seq2[member, error]
}

// folder is a bag in a folder.
type folder struct {
	root   *listing.Root
	reader *listing.Reader
}

func (f folder) members(ctx context.Context) iter.Seq2[member, error] {
	return func(yield func(member, error) bool) {
		for e, err := range f.root.All(ctx) {
			m := member{name: e.Path, size: e.Size, err: e.Err, code: Unreadable,
				open: func() (octets, error) { return f.reader.Open(e.Path) }}
			switch {
			case errors.Is(e.Err, listing.ErrLink), errors.Is(e.Err, listing.ErrKind):
				m.code = Malformed
			case errors.Is(e.Err, listing.ErrDeep), errors.Is(e.Err, listing.ErrLong):
				m.code = Unsupported
			}
			if !yield(m, err) || err != nil {
				return
			}
		}
	}
}

// tape is a bag in a tar archive.
type tape struct {
	r    io.ReaderAt
	size int64
}

func (t tape) members(ctx context.Context) iter.Seq2[member, error] {
	return func(yield func(member, error) bool) {
		whole := io.NewSectionReader(t.r, 0, t.size)
		r, top := tar.NewReader(whole), ""
		for {
			h, err := r.Next()
			switch {
			case ctx.Err() != nil:
				yield(member{}, ctx.Err())
				return
			case errors.Is(err, io.EOF):
				if err := onlyZeros(whole); err != nil {
					yield(member{code: Malformed, err: err}, nil)
				}
				return
			case err != nil:
				yield(member{code: Malformed, err: fmt.Errorf("the archive is damaged: %w", err)}, nil)
				return
			case h.Typeflag == tar.TypeXGlobalHeader:
				continue
			}
			at, err := whole.Seek(0, io.SeekCurrent) // tar has read the header, and no more
			if err != nil {
				yield(member{}, err)
				return
			}
			m, isFile := tarMember(h, &top)
			m.open = func() (octets, error) { return section{io.NewSectionReader(t.r, at, h.Size)}, nil }
			if isFile && !yield(m, nil) {
				return
			}
		}
	}
}

// IsTar reports whether a file begins as a tar archive does: with a header whose sum is right.
func IsTar(r io.Reader) bool {
	_, err := tar.NewReader(r).Next()
	return err == nil
}

// tarMember returns a member of an archive by its name in the bag; false for a
// folder. The bag is the one folder at the top of its archive.
func tarMember(h *tar.Header, top *string) (m member, ok bool) {
	name := strings.TrimPrefix(h.Name, "./")
	m = member{name: name, size: h.Size}
	isFolder := h.Typeflag == tar.TypeDir
	trimmed := strings.TrimSuffix(name, "/")
	if why := nameFault(trimmed); why != "" && !(isFolder && trimmed == "") {
		m.code, m.err = Name, errors.New(why)
		return m, true
	}
	first, rest, _ := strings.Cut(name, "/")
	if *top == "" {
		*top = first
	}
	switch {
	case first != *top, rest == "" && !isFolder:
		m.code, m.err = Malformed, fmt.Errorf("it is not in the one folder at the top of the archive, %q", *top)
		return m, true
	case isFolder:
		return m, false
	case h.Typeflag == tar.TypeGNUSparse || hasHoles(h):
		m.code, m.err = Malformed, errors.New("it is a file with holes in an archive")
	case h.Typeflag != tar.TypeReg: // the reader makes it of the type of old archives
		m.code, m.err = Malformed, listing.ErrKind
	}
	m.name = rest
	return m, true
}

// hasHoles reports whether a member states in further headers that it has holes.
func hasHoles(h *tar.Header) bool {
	for key := range h.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return true
		}
	}
	return false
}

// onlyZeros reads to the end, and returns an error if there is anything but zeros.
func onlyZeros(r io.Reader) error {
	b := make([]byte, 32<<10)
	for {
		n, err := r.Read(b)
		if len(bytes.Trim(b[:n], "\x00")) > 0 {
			return errors.New("there is more behind the end of the archive, such as another archive")
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return err
		}
	}
}
