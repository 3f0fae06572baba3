package read

import (
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
	name  string
	kind  entryKind
	doubt string // why readers may differ on it; "" if they do not
}

type entryKind int

const (
	isFile   entryKind = iota
	isNoFile           // a link or device, which leads nowhere here
	isAside            // a directory, or something about other members
)

// archive is a stream that is an archive.
type archive struct {
	*stream
	packer packer
	open   func(*stream) packer
	names  names
	start  int64
	told   bool // of a member, or of something that is none
}

// archive reads an archive that open opens.
func (s *stream) archive(open func(*stream) packer) error {
	a := &archive{stream: s, open: open, packer: open(s), names: make(names), start: s.in.offset}
	return a.read()
}

// read reads the members of an archive that are files. What else it holds is
// skipped: links lead nowhere here, and directories hold nothing themselves.
func (a *archive) read() error {
	for count := 0; a.ctx.Err() == nil; count++ {
		at, before := a.in.offset, a.consumed
		header, err := a.packer.next()
		if err != nil {
			a.followed(at)
			if more, err := a.ended(at, err); !more || err != nil {
				return err
			}
			continue
		}
		if count >= a.limits.Members {
			return a.rest(finding.SourceLimit, fmt.Sprintf("an archive of more than %d members", a.limits.Members))
		}
		if err := a.member(header); err != nil {
			return err
		}
		a.passed(at, before)
	}
	return a.ctx.Err()
}

// member reads one member.
func (a *archive) member(header entry) error {
	at := a.in.offset
	if header.kind == isAside {
		return nil
	}
	a.told = true
	a.beginMember(header.name)
	defer a.endMember()
	if header.kind == isNoFile && a.leaf != nil {
		return a.takeLeaf(&Leaf{Member: a.current, Err: ErrLink})
	}
	if header.kind == isNoFile {
		return a.note(at, finding.SourceNoRecord,
			"not a file but a link or device: "+safetext.Excerpt(header.name, safetext.Value))
	}
	if header.doubt != "" {
		if err := a.note(at, finding.SourceAmbiguous, header.doubt); err != nil {
			return err
		}
	}
	step, err := a.named(a.names, header.name, at)
	if err != nil {
		return err
	}
	content := &expansion{r: a.packer, stream: a.stream}
	if err := a.within(step, content); err != nil {
		return err
	}
	if errors.Is(content.err, errExpansion) {
		return a.note(at, finding.SourceLimit,
			"a member expands beyond the limit: "+safetext.Excerpt(header.name, safetext.Value))
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

// ended says why no further member comes, and looks for one all the same.
func (a *archive) ended(at int64, why error) (more bool, err error) {
	switch {
	case errors.Is(why, io.EOF):
		if err := a.empty(); err != nil {
			return false, err
		}
		a.zeros()
		if len(a.in.peek(1)) == 0 {
			return false, nil
		}
		if !a.packer.starts(a.in.peek(headerSize)) {
			return false, a.salvage(a.in.offset, 1, finding.SourceTrailingData, "behind the end of the archive",
				func([]byte) int { return -1 })
		}
		err = a.note(a.in.offset, finding.SourceTrailingData, "another archive follows")
	case errors.Is(why, errUnmarked):
		return false, a.note(a.in.offset, finding.SourceTruncated, why.Error())
	case errors.Is(why, io.ErrUnexpectedEOF):
		return false, a.cut()
	default:
		err = a.search(at)
	}
	a.packer = a.open(a.stream)
	return len(a.in.peek(1)) > 0, err
}

// cut skips what is left of an archive that ends within a member or a header.
func (a *archive) cut() error {
	from := a.in.offset
	at := from
	if !a.told {
		at = a.start
	}
	for a.in.drop() {
	}
	a.followed(from)
	return a.skip(Skip{Place: Place{Container: a.container, Offset: at, Length: a.in.offset - at},
		Code: finding.SourceTruncated, Detail: "the archive ends within a member"})
}

// empty notes that there was no file in the archive.
func (a *archive) empty() error {
	if a.told {
		return nil
	}
	a.told = true
	return a.withoutFiles(a.start)
}

// withoutFiles says of an archive that there are no files in it.
func (s *stream) withoutFiles(start int64) error {
	return s.skip(Skip{Place: Place{Container: s.container, Offset: start, Length: s.in.offset - start},
		Code: finding.SourceNoRecord, Detail: "an archive without files"})
}

// search goes to the next header.
func (a *archive) search(at int64) error {
	a.told = true
	find := func(b []byte) int {
		for i := range b {
			if a.packer.starts(b[i:]) {
				return i
			}
		}
		return -1
	}
	if a.in.offset == at && find(a.in.peek(headerSize)) == 0 { // it begins as a header does, and is none
		a.in.skip(1)
	}
	return a.salvage(at, headerSize, finding.SourceUnparseable, "no header of an archive", find)
}

// zeros passes the zeros at the end of an archive.
func (a *archive) zeros() {
	at := a.in.offset
	a.seek(1, func(b []byte) int {
		for i, c := range b {
			if c != 0 {
				return i
			}
		}
		return -1
	})
	a.followed(at)
}
