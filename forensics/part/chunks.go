package part

import (
	"bytes"
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/store/block"
)

// chunkSize is how many statements are handed on at once, and chunkSaid the octets of
// what they say that share memory.
const (
	chunkSize = 512
	chunkSaid = 16 << 10
)

// typeNames are the types of statements, so that their names need no memory of their own.
var typeNames = func() map[string]string {
	all := map[string]string{}
	for _, t := range slices.Concat(event.NodeTypes, event.TenantTypes) {
		all[t] = t
	}
	return all
}()

// chunk is statements on their way to whoever wants them.
type chunk struct {
	want  func(eventType string) bool
	yield func([]Statement, error) bool
	all   []Statement
	said  []byte
	ended bool
}

// Chunks yields those statements of a log from a sequence on whose types are wanted, as
// [Content.Statements] does but many at once. What a statement says stays as it is; the
// slice is valid until the next one.
func Chunks(ctx context.Context, c Content, log facts.Log, from uint64,
	want func(eventType string) bool) iter.Seq2[[]Statement, error] {
	return func(yield func([]Statement, error) bool) {
		into := &chunk{want: want, yield: yield}
		files, ok := inOrder(c, log)
		if !ok {
			into.of(c.Statements(ctx, log, from))
		}
		for _, f := range files {
			if into.ended {
				break
			}
			into.read(ctx, f, log, from)
		}
		into.end()
	}
}

// StatementOctets returns about how many octets the statements of a log take in the files
// of a content.
func StatementOctets(c Content, log facts.Log) (sum int64) {
	switch c := c.(type) {
	case *File:
		for _, one := range c.ofLog(log).statements {
			sum += int64(one.size)
		}
	case *merged:
		for _, s := range c.holds[log] {
			sum += StatementOctets(s.in.Content, log)
		}
	}
	return sum
}

// inOrder returns the files of a content in the order of their copies of a log. It
// returns false if their sequences overlap.
func inOrder(c Content, log facts.Log) ([]*File, bool) {
	if f, ok := c.(*File); ok {
		return []*File{f}, true
	}
	m, ok := c.(*merged)
	if !ok {
		return nil, false
	}
	var all []*File
	for i, s := range m.holds[log] {
		f, ok := s.in.Content.(*File)
		if !ok || s.in.cut || i > 0 && m.holds[log][i-1].last >= s.first {
			return nil, false
		}
		all = append(all, f)
	}
	return all, true
}

// sequences returns the first sequence and the last one of a log of the file.
func (f *File) sequences(log facts.Log) [2]uint64 {
	copies := f.ofLog(log).copies
	return [2]uint64{copies[0].first, copies[len(copies)-1].last}
}

// of takes in statements of a content.
func (c *chunk) of(all iter.Seq2[*Statement, error]) {
	for s, err := range all {
		if err != nil {
			c.fail(err)
			return
		}
		if c.want(s.Type) && !c.add(*s) {
			return
		}
	}
}

// add takes in a statement, and reports whether to go on.
func (c *chunk) add(s Statement) bool {
	if len(c.said)+len(s.Said) > cap(c.said) {
		c.said = make([]byte, 0, max(chunkSaid, len(s.Said)))
	}
	n := len(c.said)
	c.said = append(c.said, s.Said...)
	s.Said = c.said[n:len(c.said):len(c.said)]
	if c.all == nil {
		c.all = make([]Statement, 0, chunkSize)
	}
	if c.all = append(c.all, s); len(c.all) == chunkSize {
		c.hand()
	}
	return !c.ended
}

// hand hands on the statements.
func (c *chunk) hand() {
	c.ended = !c.yield(c.all, nil) || c.ended
	c.all = c.all[:0]
}

func (c *chunk) fail(err error) {
	if len(c.all) > 0 {
		c.hand()
	}
	if !c.ended {
		c.yield(nil, err)
	}
	c.ended = true
}

func (c *chunk) end() {
	if len(c.all) > 0 && !c.ended {
		c.hand()
	}
}

// row is a statement as it stands in a frame.
type row struct {
	Statement // without its texts
	kind      []byte
	about     []byte
}

func (a *row) compare(b *row) int {
	if a.Sequence != b.Sequence {
		return cmp.Compare(a.Sequence, b.Sequence)
	}
	return cmp.Or(bytes.Compare(a.Digest[:], b.Digest[:]), bytes.Compare(a.kind, b.kind), bytes.Compare(a.about, b.about))
}

// read takes in the statements of a file. Their events are among those of the file.
func (c *chunk) read(ctx context.Context, f *File, log facts.Log, from uint64) {
	frames := f.ofLog(log).statements
	within := f.sequences(log)
	if within[1] < from {
		return
	}
	var buffer []byte
	var last, v row
	for i := firstFrame(frames, from); i < len(frames); i++ {
		b, err := f.read(&frames[i], buffer)
		if err = cmp.Or(err, ctx.Err()); err != nil {
			c.fail(err)
			return
		}
		last.kind, last.about = bytes.Clone(last.kind), bytes.Clone(last.about)
		buffer = b
		r := block.Decoder{B: b, At: frames[i].at}
		for first := true; first || len(r.B) > 0; first = false {
			r.Check(len(b)-len(r.B) < rowBlock, "the end of a block that is full")
			v.Sequence = r.Uvarint()
			r.Fixed(v.Digest[:])
			v.kind, v.about, v.Said = r.Octets(maxText), r.Octets(maxText), r.Octets(maxFacts)
			r.Check(last.Sequence == 0 || last.compare(&v) < 0, "records in their order")
			r.Check(v.Sequence >= within[0] && v.Sequence <= within[1], "a statement of an event of the part")
			r.Check(len(r.B) > 0 || i+1 == len(frames) || len(b) >= rowBlock, "a block that is full")
			if r.Fault != nil {
				c.fail(r.Fault)
				return
			}
			if last = v; v.Sequence >= from && !c.take(&v) {
				return
			}
		}
	}
}

// take takes in a row, if it is wanted.
func (c *chunk) take(v *row) bool {
	name, known := typeNames[string(v.kind)]
	if !known {
		name = string(v.kind)
	}
	if !c.want(name) {
		return true
	}
	s := v.Statement
	s.Type, s.TransactionID = name, string(v.about)
	return c.add(s)
}
