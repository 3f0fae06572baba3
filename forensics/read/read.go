package read

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/read/confined"
	"github.com/svc-edge/svc-verify/forensics/unwrap"
	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/tasks"
)

// Options are the options of Read. The zero value is right for most callers.
type Options struct {
	// Format is the format of the innermost streams; "" recognises it. Compression
	// and archives are always recognised.
	Format Format

	// BatchAttributes are names of attributes that contain batch ids, in addition
	// to [BatchHeader]. Case and punctuation do not matter.
	BatchAttributes []string

	Limits Limits

	// Stores are forms that the caller describes ([ParseStores]); may be nil.
	Stores *Stores

	// Confinement is about the formats that other makers' libraries decode.
	Confinement Confinement

	// Range, if not nil, means that a range of a file that is [Cuttable] is read, and where it
	// begins. It is not recognised again, and its places count from the beginning of the file.
	Range *Position

	// Workers is how many goroutines read the lines of one file; with less than 2, the
	// caller's does. The reports do not depend on it.
	Workers int

	// Only chooses members of archives by name, if it has patterns. The others are left out
	// ([finding.SourceLeftOut]), but for archives within archives.
	Only listing.Patterns

	// Leaf, if not nil, receives each stream that is no container, unchanged, in place of the
	// readers of formats. Compression and archives are opened, and the handler gets no
	// records. An error that it returns ends the reading.
	Leaf func(*Leaf) error
}

// Limits bound the work. Zero means the default.
type Limits struct {
	// Unit is the largest size of one line, message or JSON value in bytes,
	// because it is held in memory. The default is 256 MiB. Larger ones are
	// skipped.
	Unit int

	// Expansion is the number of bytes that may be decompressed for each byte of
	// the file, beyond [FreeExpansion], with [PerUnit] more for each line or value in
	// it. The default is [UsualExpansion]. Genuine journals stay far below, because
	// hashes and signatures do not compress.
	Expansion int64

	// Nesting is how deep decodings and archives may be nested. The default is 8.
	Nesting int

	// Members is the largest number of members of one archive, whose names are
	// remembered. The default is 1,048,576.
	Members int
}

// FreeExpansion is the number of bytes that may be decompressed from a file of any
// size.
const FreeExpansion = 64 << 20

// UsualExpansion is how many more may be decompressed for each byte of the file, unless
// [Limits] say otherwise.
const UsualExpansion = 250

// PerUnit is how many bytes a line, value or message counts for besides its own where
// something was decompressed: examining one costs as much as that many. An event has far more.
const PerUnit = 64

// WithDefaults returns the limits with the default for each that is zero.
func (l Limits) WithDefaults() Limits {
	set := func(n *int, usual int) {
		if *n <= 0 {
			*n = usual
		}
	}
	set(&l.Unit, 256<<20)
	set(&l.Nesting, 8)
	set(&l.Members, 1<<20)
	if l.Expansion <= 0 {
		l.Expansion = UsualExpansion
	}
	return l
}

// ErrFormat means that Options.Format is none of [Formats].
var ErrFormat = errors.New("no such format")

// Read reads one file or stream to its end and hands everything in it to h. It
// returns an error only if r or h fails, ctx ends, or the options are wrong.
// Faults in the evidence are reported to h.
func Read(ctx context.Context, r io.Reader, options Options, h Handler) error {
	if options.Format != "" && !slices.Contains(Formats(), options.Format) {
		return fmt.Errorf("%w: %q", ErrFormat, options.Format)
	}
	return newReader(ctx, r, options, h).readAs(options.Format)
}

func newReader(ctx context.Context, r io.Reader, options Options, h Handler) *reader {
	rd := &reader{ctx: ctx, limits: options.Limits.WithDefaults(), handler: h, keys: newKeys(options.BatchAttributes),
		blocks: usualBlocks, workers: options.Workers, pieceSize: pieceSize, confinement: options.Confinement,
		leaf: options.Leaf, only: options.Only, forms: formsWith(options.Stores)}
	rd.decoder = jsontext.NewDecoder(&rd.buffer)
	rd.file = &file{r: r}
	rd.root = newInput(rd.file, rd.limits.Unit)
	if cut := options.Range; cut != nil {
		rd.root.offset, rd.consumed = cut.Offset, cut.Consumed
		rd.ranged = true
	}
	return rd
}

// restartFor prepares for reading something else that root is of. The allocated memory stays.
func (r *reader) restartFor(root *input) {
	r.root, r.index, r.given, r.consumed, r.made, r.taken = root, 0, 0, 0, 0, 0
	r.damages, r.looked, r.overfull, r.pending, r.batches = 0, 0, false, Skip{}, r.batches[:0]
}

// readAs reads the file as a format, "" for the one that is recognised.
func (r *reader) readAs(f Format) error {
	err := tasks.Guard((&stream{reader: r, in: r.root, forced: f, known: r.ranged}).readWhole)
	if broken := (*tasks.Panic)(nil); errors.As(err, &broken) {
		err = r.reportStopped(broken)
	}
	if err == nil {
		err = r.flushSkip()
	}
	return errors.Join(r.file.err, err)
}

// reportStopped reports that a fault of the program ended the reading of the file, whose rest is
// passed.
func (r *reader) reportStopped(why *tasks.Panic) error {
	at := r.root.offset
	for r.ctx.Err() == nil && r.root.dropWindow() {
	}
	r.consumed += r.root.offset - at
	return errors.Join(r.ctx.Err(), r.reportSkip(Skip{Place: Place{Offset: at, Length: r.root.offset - at},
		Code: finding.SourceUnreadable, Detail: why.Error()}))
}

// file remembers an error of the file itself, as opposed to one of decoding.
type file struct {
	r   io.Reader
	err error
}

func (f *file) Read(p []byte) (int, error) {
	n, err := f.r.Read(p)
	if err != nil && err != io.EOF {
		f.err = err
	}
	return n, err
}

// reader is the state of one call of Read.
type reader struct {
	ctx     context.Context
	limits  Limits
	blocks  blockSizes
	handler Handler
	leaf    func(*Leaf) error
	only    listing.Patterns
	file    *file

	confinement Confinement

	root   *input // bytes read of the file
	made   int64  // bytes out of all decompression so far
	taken  int64  // memory that decoders got so far
	ranged bool   // a range of lines is read

	workers, pieceSize int   // how many goroutines read lines, and how much each at a time
	aside              int64 // bytes that others than the caller's goroutine read

	index   int64 // of the next report
	given   int64 // records that were reported
	pending Skip  // not reported yet, since it may grow; none if its Code is ""
	excerpt [excerptSize]byte
	rec     Record

	forms    forms // of JSON values
	keys     keys
	batches  []Batch
	overfull bool // ids were dropped, and this is not reported yet
	wrapped  wrapping
	damages  int   // spans that were skipped, but for those within lines
	consumed int64 // bytes of units, of the file and out of all decompression

	buffer   bytes.Buffer
	decoder  *jsontext.Decoder
	texts    [slots][]byte
	free     []*input
	finders  []*unwrap.Finder
	searched int64 // the bytes of their work

	// units is called with each part of a stream that was consumed as a unit, and looked
	// counts the examined bytes, some more than once. Both are for tests: nothing vanishes
	// between two reports, and the work is linear, which the reports alone do not show.
	units  func(container string, from, to int64)
	looked int64
}

// countLooked counts bytes that are looked at.
func (r *reader) countLooked(octets int) { r.looked += int64(octets) }

// stream is one stream of bytes: the file, or bytes decoded from another.
type stream struct {
	*reader
	in        *input
	container string
	depth     int
	forced    Format // "" if it is to be recognised
	known     bool   // it holds lines, and is not to be recognised
	told      []Format
	claimed   Format // the one that was reported last, new or not
	last      Format // of the value before
	action    Skip   // an action of a bulk request whose document comes next; none if its Code is ""
	chains    chains // lines that were cut into several records

	undecoded   Skip  // the first digits in its text that were not decoded; none if its Code is ""
	givenBefore int64 // records of the file that were reported before it

	member  *Member // that it is of, if leaves are read or members chosen; may be nil
	current *Member // of this archive, that is being read; may be nil
}

// innerStream makes the stream that a step leads to.
func (s *stream) innerStream(step string, in *input) *stream {
	name := step
	if s.container != "" {
		name = s.container + "!" + step
	}
	member := s.member
	if s.current != nil {
		member = s.current
	}
	return &stream{reader: s.reader, in: in, container: fitName(name), depth: s.depth + 1, forced: s.forced.innerFormat(),
		member: member}
}

// maxContainer bounds the name of a container: members of an archive can have very long names,
// and each of their records is found by them.
const maxContainer = 1024

// fitName returns the name of a container or, where it is too long, its beginning and its
// digest.
func fitName(name string) string {
	if len(name) <= maxContainer {
		return name
	}
	digest := sha256.Sum256([]byte(name))
	const kept = maxContainer - 1 - 2*len(digest)
	return strings.ToValidUTF8(name[:kept], "") + "#" + hex.EncodeToString(digest[:])
}

// readWhole reads a stream to its end, whatever it holds.
func (s *stream) readWhole() error {
	s.givenBefore = s.given
	err := s.dispatchFormat()
	if err == nil {
		err = s.readUnfinished()
	}
	if err == nil {
		err = s.notRead()
	}
	if err == nil {
		err = s.skipRest(finding.SourceTrailingData, "behind the end of the data")
	}
	if h, ok := s.handler.(LevelHandler); ok && err == nil {
		err = h.Level(s.container, s.in.offset)
	}
	return err
}

func (s *stream) dispatchFormat() error {
	if s.depth > s.limits.Nesting {
		return s.skipRest(finding.SourceLimit, fmt.Sprintf("more than %d decodings in one another", s.limits.Nesting))
	}
	if s.leaf != nil {
		return s.readLeaves()
	}
	if s.member != nil && !s.only.Match(s.member.Name) && !Opens(s.in.peekBytes(LeafHead)) {
		return s.skipRest(finding.SourceLeftOut, "another name than the requested one")
	}
	f, why := textual, ""
	if !s.known {
		f, why = sniffFormat(s.in.peekBytes(sniffSize))
	}
	if s.forced != "" && !f.wrapsOnly() {
		f, why = s.forced, "as the caller says"
	}
	if f == textual && s.forced == "" && !s.known {
		if what := kindBeside(s.in.peekBytes(sniffSize)); what != "" {
			return s.skipRest(finding.SourceNoRecord, what)
		}
	}
	if f == "" {
		return s.skipUnknown(why)
	}
	if f != textual && s.forms.Named(f) == nil {
		if by := confined.Library(string(f)); by != "" {
			why += ", as decoded by " + by
		}
		if err := s.reportFormat(f, why); err != nil {
			return err
		}
	}
	if err := s.readFormat(f); !errors.Is(err, errExpansion) {
		return err
	}
	return s.endOverfilled()
}

// readFormat reads the stream by its format.
func (s *stream) readFormat(f Format) error {
	if known := signOf(f); known != nil {
		return known.read(s)
	}
	if f == Bodies {
		return s.readBodies()
	}
	return (&values{stream: s}).readValues()
}

// eachPart reads one part of the stream after the other, to its end.
func (s *stream) eachPart(next func() error) error {
	for s.ctx.Err() == nil && len(s.in.peekBytes(1)) > 0 {
		if err := next(); err != nil {
			return err
		}
	}
	return s.ctx.Err()
}

// passUnit is noteFollowed for a unit that another stream was made of without decompression; before
// has the bytes consumed before it. No byte counts twice.
func (s *stream) passUnit(from, before int64) {
	after := max(s.consumed, before+s.in.offset-from)
	s.noteFollowed(from)
	s.consumed = after
}

// noteFollowed notes that the stream was consumed up to where it is.
func (s *stream) noteFollowed(from int64) {
	s.consumed += s.in.offset - from
	if s.made > 0 {
		s.made += PerUnit
	}
	if s.units != nil {
		s.units(s.container, from, s.in.offset)
	}
}
