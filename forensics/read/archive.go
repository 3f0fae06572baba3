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

func (s *stream) readTar() error {
	a := &archive{stream: s, members: newTarMembers(s.in), names: make(names), start: s.in.offset}
	return a.readMembers()
}

// readMembers reads the members of an archive that are files. Its other members are skipped:
// links lead nowhere here, and directories contain nothing themselves.
func (a *archive) readMembers() error {
	for count := 0; a.ctx.Err() == nil; count++ {
		at, before := a.in.offset, a.consumed
		header, err := a.members.nextHeader()
		if err != nil {
			a.noteFollowed(at)
			if more, err := a.whyEnded(at, err); !more || err != nil {
				return err
			}
			continue
		}
		if count >= a.limits.Members {
			return a.skipRest(finding.SourceLimit, fmt.Sprintf("an archive of more than %d members", a.limits.Members))
		}
		if err := a.readTarMember(header); err != nil {
			return err
		}
		a.passUnit(at, before)
	}
	return a.ctx.Err()
}

// readTarMember reads one member.
func (a *archive) readTarMember(header *tar.Header) error {
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
		if err := a.noteAt(at, finding.SourceAmbiguous, doubt); err != nil {
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
	return s.noteAt(at, finding.SourceNoRecord,
		"not a file but a link or device: "+safetext.Excerpt(name, safetext.Value))
}

// readMember reads the content of a member, and reports whether it is within the limits.
func (s *stream) readMember(n names, name string, at int64, r io.Reader) (whole bool, err error) {
	step, err := s.memberStep(n, name, at)
	if err != nil {
		return false, err
	}
	content := &expansion{r: r, stream: s}
	if err := s.readDecoded(step, content); err != nil || !errors.Is(content.err, errExpansion) {
		return err == nil, err
	}
	return false, s.noteAt(at, finding.SourceLimit,
		"a member expands beyond the limit: "+safetext.Excerpt(name, safetext.Value))
}

// whyEnded returns why no further member comes, and looks for one all the same.
func (a *archive) whyEnded(at int64, why error) (more bool, err error) {
	switch {
	case errors.Is(why, io.EOF):
		if err := a.noteEmpty(); err != nil {
			return false, err
		}
		end := a.in.offset
		a.passZeros()
		a.noteFollowed(end)
		if len(a.in.peekBytes(1)) == 0 {
			return false, nil
		}
		if !isTar(a.in.peekBytes(headerSize)) {
			return false, a.salvageArchive(a.in.offset, 1, finding.SourceTrailingData, "behind the end of the archive",
				func([]byte) int { return -1 })
		}
		err = a.noteAt(a.in.offset, finding.SourceTrailingData, "another archive follows")
	case errors.Is(why, errUnmarked):
		return false, a.noteAt(a.in.offset, finding.SourceTruncated, why.Error())
	case errors.Is(why, io.ErrUnexpectedEOF):
		return false, a.skipCutRest()
	default:
		err = a.findHeader(at)
	}
	a.members = newTarMembers(a.in)
	return len(a.in.peekBytes(1)) > 0, err
}

// skipCutRest skips the rest of an archive that ends within a member or a header.
func (a *archive) skipCutRest() error {
	from := a.in.offset
	at := from
	if !a.told {
		at = a.start
	}
	for a.in.dropWindow() {
	}
	a.noteFollowed(from)
	return a.skip(Skip{Place: a.placeFrom(at),
		Code: finding.SourceTruncated, Detail: "the archive ends within a member"})
}

// noteEmpty notes that there was no file in the archive.
func (a *archive) noteEmpty() error {
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

// findHeader goes to the next header.
func (a *archive) findHeader(at int64) error {
	a.told = true
	find := func(b []byte) int { return firstStart(b, isTar) }
	if a.in.offset == at && find(a.in.peekBytes(headerSize)) == 0 { // it begins as a header does, and is none
		a.in.skipBytes(1)
	}
	return a.salvageArchive(at, headerSize, finding.SourceUnparseable, "no header of an archive", find)
}

// passZeros passes the zeros that fill the place behind an archive or compressed data.
func (s *stream) passZeros() {
	s.seekPlace(1, func(b []byte) int { return bytes.IndexFunc(b, func(r rune) bool { return r != 0 }) })
}
