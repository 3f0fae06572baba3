package read

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// packer is a kind of archive that is read forward: each member has its header
// before it. Read reads the content of the member that next led to.
type packer interface {
	io.Reader

	// next returns io.EOF behind the last member, io.ErrUnexpectedEOF if the
	// archive ends within one, and another error if there is no header.
	next() (entry, error)

	// starts reports whether an archive begins with b, or a member of one.
	// headerSize octets are enough.
	starts(b []byte) bool
}

// headerSize is how much of a header is looked at to find one.
const headerSize = 512

// entry is a member of an archive.
type entry struct {
	name string
	kind entryKind
}

type entryKind int

const (
	isFile   entryKind = iota
	isNoFile           // a link or device, which leads nowhere here
	isAside            // a directory, or something about other members
)

// archive is a stream that is a tar archive.
type archive struct {
	*stream
	tar   *tar.Reader
	names map[uint64]bool // hashes of the names of its members so far
}

func newArchive(s *stream) *archive { return &archive{s, tar.NewReader(s.in), make(map[uint64]bool)} }

// read reads the members of an archive that are files. What else it holds is
// skipped: links lead nowhere here, and directories hold nothing themselves.
func (a *archive) read() error {
	for count := 0; ; count++ {
		at, before := a.in.offset, a.consumed
		header, err := a.tar.Next()
		if err == io.EOF {
			a.followed(at)
			return a.padding()
		}
		if err != nil {
			return a.broken(at, err)
		}
		if count >= a.limits.Members {
			return a.rest(finding.SourceLimit, fmt.Sprintf("an archive of more than %d members", a.limits.Members))
		}
		if err := a.member(header); err != nil {
			return err
		}
		a.passed(at, before)
	}
}

// member reads one member. A name that was there before gets its offset, so
// that each place is one place.
func (a *archive) member(header *tar.Header) error {
	at := a.in.offset
	switch header.Typeflag {
	case tar.TypeReg, tar.TypeGNUSparse:
	case tar.TypeDir, tar.TypeXGlobalHeader:
		return nil
	default:
		return a.note(at, finding.SourceNoRecord,
			"not a file but a link or device: "+safetext.Excerpt(header.Name, safetext.Value))
	}
	name := header.Name
	if hash := hashOf(name); a.names[hash] {
		name = fmt.Sprintf("%s@%d", name, at)
	} else {
		a.names[hash] = true
	}
	content := &expansion{r: a.tar, stream: a.stream}
	if err := a.within(name, content); err != nil {
		return err
	}
	if errors.Is(content.err, errExpansion) {
		return a.note(at, finding.SourceLimit,
			"a member expands beyond the limit: "+safetext.Excerpt(header.Name, safetext.Value))
	}
	return nil
}

// expansion holds a member against the limit, since a sparse one can be larger
// than its archive.
type expansion struct {
	r      io.Reader
	stream *stream
	err    error
}

// Read implements io.Reader.
func (e *expansion) Read(p []byte) (int, error) {
	if e.err != nil {
		return 0, e.err
	}
	n, err := e.r.Read(p)
	if e.stream.expanded(n); e.stream.tooLarge() {
		err = errExpansion
	}
	e.err = err
	return n, err
}

// broken skips an archive from where it cannot be followed any more.
func (a *archive) broken(at int64, err error) error {
	a.followed(at)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return a.note(a.in.offset, finding.SourceTruncated, "the archive ends within a member")
	}
	if len(a.in.peek(1)) == 0 {
		return a.note(at, finding.SourceUnparseable, "no header of an archive")
	}
	return a.rest(finding.SourceUnparseable, "no header of an archive")
}

// padding passes the zeros at the end of an archive.
func (a *archive) padding() error {
	at := a.in.offset
	for {
		w := a.in.peek(firstWindow)
		for i, c := range w {
			if c != 0 {
				a.in.skip(i)
				a.followed(at)
				return a.rest(finding.SourceTrailingData, "behind the end of the archive")
			}
		}
		if len(w) == 0 {
			a.followed(at)
			return nil
		}
		a.in.skip(len(w))
	}
}

// withoutFiles says of an archive that there are no files in it.
func (s *stream) withoutFiles(start int64) error {
	return s.skip(Skip{Place: Place{Container: s.container, Offset: start, Length: s.in.offset - start},
		Code: finding.SourceNoRecord, Detail: "an archive without files"})
}
