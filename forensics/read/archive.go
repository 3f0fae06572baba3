package read

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// headerSize is how much is looked at to find a header, or the beginning of a stream.
const headerSize = 512

// entryKind is the kind of a member of an archive.
type entryKind int

const (
	isFile   entryKind = iota
	isNoFile           // a link or device, which leads nowhere here
	isAside            // a directory, or something about other members
)

// archive is a stream that is a tar archive.
type archive struct {
	*stream
	members *tarMembers
	names   names
	start   int64
	told    bool // of a member, or of something that is none
}

func (s *stream) tar() error {
	a := &archive{stream: s, members: newTarMembers(s.in), names: make(names), start: s.in.offset}
	return a.read()
}

// read reads the members of an archive that are files. What else it holds is
// skipped: links lead nowhere here, and directories hold nothing themselves.
func (a *archive) read() error {
	for count := 0; a.ctx.Err() == nil; count++ {
		at, before := a.in.offset, a.consumed
		header, err := a.members.next()
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
func (a *archive) member(header *tar.Header) error {
	at, kind := a.in.offset, tarKind(header.Typeflag)
	if kind == isAside {
		return nil
	}
	a.told = true
	if kind == isNoFile {
		return a.linkMember(header.Name, at)
	}
	a.beginMember(header.Name)
	defer a.endMember()
	if doubt := tarDoubt(header, a.members.block[:]); doubt != "" {
		if err := a.note(at, finding.SourceAmbiguous, doubt); err != nil {
			return err
		}
	}
	_, err := a.readMember(a.names, header.Name, at, a.members)
	return err
}

// linkMember means that a member is no file.
func (s *stream) linkMember(name string, at int64) error {
	s.beginMember(name)
	defer s.endMember()
	if s.leaf != nil {
		return s.takeLeaf(&Leaf{Member: s.current, Err: ErrLink})
	}
	return s.note(at, finding.SourceNoRecord,
		"not a file but a link or device: "+safetext.Excerpt(name, safetext.Value))
}

// readMember reads the content of a member, and reports whether it is within the limits.
func (s *stream) readMember(n names, name string, at int64, r io.Reader) (whole bool, err error) {
	step, err := s.named(n, name, at)
	if err != nil {
		return false, err
	}
	content := &expansion{r: r, stream: s}
	if err := s.within(step, content); err != nil || !errors.Is(content.err, errExpansion) {
		return err == nil, err
	}
	return false, s.note(at, finding.SourceLimit,
		"a member expands beyond the limit: "+safetext.Excerpt(name, safetext.Value))
}

// ended returns why no further member comes, and looks for one all the same.
func (a *archive) ended(at int64, why error) (more bool, err error) {
	switch {
	case errors.Is(why, io.EOF):
		if err := a.empty(); err != nil {
			return false, err
		}
		end := a.in.offset
		a.zeros()
		a.followed(end)
		if len(a.in.peek(1)) == 0 {
			return false, nil
		}
		if !isTar(a.in.peek(headerSize)) {
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
	a.members = newTarMembers(a.in)
	return len(a.in.peek(1)) > 0, err
}

// cut skips the rest of an archive that ends within a member or a header.
func (a *archive) cut() error {
	from := a.in.offset
	at := from
	if !a.told {
		at = a.start
	}
	for a.in.drop() {
	}
	a.followed(from)
	return a.skip(Skip{Place: a.placeFrom(at),
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

// withoutFiles is the remark on an archive without files.
func (s *stream) withoutFiles(start int64) error {
	return s.skip(Skip{Place: s.placeFrom(start),
		Code: finding.SourceNoRecord, Detail: "an archive without files"})
}

// search goes to the next header.
func (a *archive) search(at int64) error {
	a.told = true
	find := func(b []byte) int { return firstStart(b, isTar) }
	if a.in.offset == at && find(a.in.peek(headerSize)) == 0 { // it begins as a header does, and is none
		a.in.skip(1)
	}
	return a.salvage(at, headerSize, finding.SourceUnparseable, "no header of an archive", find)
}

// zeros passes the zeros that fill the place behind an archive or compressed data.
func (s *stream) zeros() {
	s.seek(1, func(b []byte) int { return bytes.IndexFunc(b, func(r rune) bool { return r != 0 }) })
}
