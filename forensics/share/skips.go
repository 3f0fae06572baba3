package share

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/internal/spool"
)

// skips are the spans that could not be read, source by source, in the order in which
// the sources were read. Those of a source are in the order of their records. They are
// in a file once there are many: neither their number nor their size has a bound but
// that of the evidence.
type skips struct {
	dir    string
	memory []byte // those that are not in the file
	file   *spool.Temporary
	filed  int64            // octets of the file
	of     map[int64]span64 // where those of a source are
	open   map[kind]mark    // the rows that may come to stand for more spans
}

// span64 is a part of a file.
type span64 struct{ start, end int64 }

// kind tells the spans apart that one row stands for; see [ingest.Paths].
type kind struct {
	code string
	note bool
}

// mark is where a row is that stands for many.
type mark struct{ source, record, at int64 }

// mostSkips is how many octets of skips are in memory.
const mostSkips = 1 << 20

// The size of what a row has in front: its numbers, and the lengths of its texts. What
// may change later stands first.
const (
	changing  = 3 * 8
	skipFront = changing + 8 + 8 + 4 + 4 + 4 + 4
)

func newSkips(dir string) *skips {
	return &skips{dir: dir, of: map[int64]span64{}, open: map[kind]mark{}}
}

// add adds what a chunk of a source could not read.
func (k *skips) add(source int64, found []casefile.FoundSkip, at *place) error {
	var all []part.Skip
	for i := range found {
		f := &found[i]
		s := part.Skip{Place: at.of(&f.Found), Code: f.Code, Detail: f.Detail, Spans: max(1, f.Spans),
			Excerpt: f.Excerpt[:min(len(f.Excerpt), facts.ExcerptSize)], Through: max(f.Record, f.Through)}
		if f.Told > 0 {
			if err := k.change(source, &s); err != nil {
				return err
			}
			continue
		}
		all = append(all, s)
	}
	slices.SortFunc(all, compareSkips)
	for i := range all {
		if err := k.append(source, &all[i]); err != nil {
			return err
		}
	}
	return nil
}

// compareSkips orders the skips of one source.
func compareSkips(a, b part.Skip) int {
	return cmp.Or(cmp.Compare(a.Record, b.Record), cmp.Compare(a.Container, b.Container), cmp.Compare(a.Offset, b.Offset),
		cmp.Compare(a.Length, b.Length), strings.Compare(a.Code, b.Code), strings.Compare(a.Detail, b.Detail))
}

// append adds a row.
func (k *skips) append(source int64, s *part.Skip) error {
	start := k.filed + int64(len(k.memory))
	in, known := k.of[source]
	if !known {
		in.start = start
	}
	b := binary.LittleEndian.AppendUint64(k.memory, uint64(s.Length))
	b = binary.LittleEndian.AppendUint64(b, uint64(s.Spans))
	b = binary.LittleEndian.AppendUint64(b, uint64(s.Through))
	b = binary.LittleEndian.AppendUint64(b, uint64(s.Offset))
	b = binary.LittleEndian.AppendUint64(b, uint64(s.Record))
	b = binary.LittleEndian.AppendUint32(b, uint32(s.Container))
	for _, n := range []int{len(s.Code), len(s.Detail), len(s.Excerpt)} {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	k.memory = append(append(append(b, s.Code...), s.Detail...), s.Excerpt...)
	in.end = k.filed + int64(len(k.memory))
	k.of[source] = in
	k.open[kind{s.Code, s.Length == 0}] = mark{source, s.Record, start}
	if len(k.memory) < mostSkips {
		return nil
	}
	return k.write()
}

// change says of a row that it stands for more spans.
func (k *skips) change(source int64, s *part.Skip) error {
	m, ok := k.open[kind{s.Code, s.Length == 0}]
	if !ok || m.source != source || m.record != s.Record {
		return errors.New("a row of spans grows that is not there")
	}
	b := binary.LittleEndian.AppendUint64(make([]byte, 0, changing), uint64(s.Length))
	b = binary.LittleEndian.AppendUint64(b, uint64(s.Spans))
	b = binary.LittleEndian.AppendUint64(b, uint64(s.Through))
	if m.at >= k.filed {
		copy(k.memory[m.at-k.filed:], b)
		return nil
	}
	_, err := k.file.WriteAt(b, m.at)
	return err
}

// write moves what is in memory to the file.
func (k *skips) write() (err error) {
	if k.file == nil {
		if k.file, err = spool.Create(k.dir); err != nil {
			return err
		}
	}
	_, err = k.file.WriteAt(k.memory, k.filed)
	k.filed += int64(len(k.memory))
	k.memory = k.memory[:0]
	return err
}

func (k *skips) close() error {
	if k.file == nil {
		return nil
	}
	return k.file.Close()
}

// from returns a reader of a part of all rows.
func (k *skips) from(s span64) io.Reader {
	var all []io.Reader
	if s.start < k.filed {
		all = append(all, io.NewSectionReader(k.file, s.start, min(s.end, k.filed)-s.start))
	}
	if s.end > k.filed {
		all = append(all, bytes.NewReader(k.memory[max(0, s.start-k.filed):s.end-k.filed]))
	}
	return bufio.NewReader(io.MultiReader(all...))
}

// rows yields the skips of the sources that have them, in the order in which the
// sources are given.
func (k *skips) rows(ctx context.Context, sources []int64) iter.Seq2[*part.Skip, error] {
	return func(yield func(*part.Skip, error) bool) {
		var s part.Skip
		for n, source := range sources {
			in, ok := k.of[source]
			if !ok {
				continue
			}
			r := k.from(in)
			for {
				err := errors.Join(ctx.Err(), readSkip(r, &s))
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					yield(nil, err)
					return
				}
				if s.Share = n; !yield(&s, nil) {
					return
				}
			}
		}
	}
}

// readSkip reads a row. The error is io.EOF behind the last one.
func readSkip(r io.Reader, s *part.Skip) error {
	var front [skipFront]byte
	if _, err := io.ReadFull(r, front[:]); err != nil {
		return err
	}
	number := func(at int) int64 { return int64(binary.LittleEndian.Uint64(front[at:])) }
	size := func(at int) int { return int(binary.LittleEndian.Uint32(front[at:])) }
	s.Length, s.Spans, s.Through, s.Offset, s.Record = number(0), number(8), number(16), number(24), number(32)
	s.Container = size(40)
	code, detail, excerpt := size(44), size(48), size(52)
	texts := make([]byte, code+detail+excerpt)
	if _, err := io.ReadFull(r, texts); err != nil {
		return errors.Join(io.ErrUnexpectedEOF, err)
	}
	s.Code, s.Detail, s.Excerpt = string(texts[:code]), string(texts[code:code+detail]), texts[code+detail:]
	return nil
}
