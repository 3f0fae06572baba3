package read

import (
	"context"
	"errors"
	"io"

	"github.com/svc-edge/svc-verify/finding"
)

// Leaf is a stream that is no container: a file, a member of an archive, or the decompressed
// content of either. It is read unchanged. An error other than io.EOF means that a container
// around it is damaged or exceeds a limit.
type Leaf struct {
	// Member is the member of an archive that it is, or that is compressed; nil if there is
	// no archive.
	Member *Member

	// Err is why a member has no content of its own; nil for a file.
	Err error

	stream *stream
}

// Member is a member of an archive. Two members can have the same names.
type Member struct {
	Name string  // as the archive has it: text of the evidence
	In   *Member // the member that the archive is; nil if it is the file
}

// ErrLink reports a member that is no file.
var ErrLink = errors.New("a link or device in an archive, which is not read")

// Read implements io.Reader.
func (l *Leaf) Read(p []byte) (int, error) { return l.stream.in.Read(p) }

// Charge adds work to the bytes that were decompressed, if the leaf comes from any. An error
// means that the limit is exceeded; the caller returns it.
func (l *Leaf) Charge(octets int) error {
	if l.stream.made == 0 {
		return nil
	}
	return l.stream.growBy(octets)
}

// Opens reports whether a stream that begins with b is opened for [Options.Leaf].
// LeafHead bytes are enough.
func Opens(b []byte) bool { return findSign(b, ofMembers) != nil }

// LeafHead is how many bytes identify a container.
const LeafHead = headerSize

// readLeaves reads a stream for leaves.
func (s *stream) readLeaves() error {
	c := findSign(s.in.peekBytes(LeafHead), ofMembers)
	if c == nil {
		return s.takeLeaf(&Leaf{Member: s.member})
	}
	if err := s.reportFormat(c.of, c.why); err != nil {
		return err
	}
	return c.read(s)
}

// HoldsMembers reports whether a stream is an archive, compressed or not. It reads no more
// than necessary. An error is one of r or ctx.
func HoldsMembers(ctx context.Context, r io.Reader, l Limits) (bool, error) {
	first := &firstOf{}
	err := Read(ctx, r, Options{Limits: l, Leaf: func(*Leaf) error { return errFirst }}, first)
	if errors.Is(err, errFirst) {
		err = nil
	}
	return first.archive, err
}

// errFirst ends a reading at the first archive or leaf.
var errFirst = errors.New("an archive or a leaf")

// firstOf remembers whether an archive came before any leaf.
type firstOf struct{ archive bool }

// Format implements [Handler].
func (f *firstOf) Format(_ string, as Format, _ string) error {
	if f.archive = signOf(as).holds == ofMembers; f.archive {
		return errFirst
	}
	return nil
}

// Record implements [Handler].
func (f *firstOf) Record(*Record) error { return nil }

// Skip implements [Handler].
func (f *firstOf) Skip(Skip) error { return nil }

// takeLeaf hands on a leaf, and skips the unread rest of it.
func (s *stream) takeLeaf(l *Leaf) error {
	if err := s.flushSkip(); err != nil {
		return err
	}
	l.stream = s
	err := s.leaf(l)
	if l.Err != nil {
		return err
	}
	if errors.Is(err, errExpansion) {
		err = s.noteAt(s.in.offset, finding.SourceLimit, err.Error())
	}
	for err == nil && s.ctx.Err() == nil && s.in.dropWindow() {
	}
	return errors.Join(err, s.ctx.Err())
}

// beginMember sets the member of an archive that the next reports are about, until endMember.
func (s *stream) beginMember(name string) {
	if s.leaf != nil || len(s.only) > 0 {
		s.current = &Member{name, s.member}
	}
}

func (s *stream) endMember() { s.current = nil }

// skip reports a span or note, with the member that it is about.
func (s *stream) skip(k Skip) error {
	if k.Member = s.member; s.current != nil {
		k.Member = s.current
	}
	return s.reader.reportSkip(k)
}

// IsRemark reports whether nothing of an archive is left unread where the skip is.
func (s *Skip) IsRemark() bool {
	return s.Code == finding.SourceNoRecord || s.Code == finding.SourceSeveral
}

// IsDamage reports whether a part of an archive or a member is lost.
func (s *Skip) IsDamage() bool {
	return s.Code == finding.SourceUnparseable || s.Code == finding.SourceTruncated || s.Code == finding.SourceLimit
}
