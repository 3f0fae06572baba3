package seal

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash"
	"io"
	"iter"

	"github.com/svc-edge/svc-verify/archive/codec"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/merkle"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Leaf is the part of an object that a seal commits to (SPEC 16.5).
type Leaf struct {
	Path   string // any bytes
	Size   int64
	Digest Digest
}

// maxLeaf bounds the line of a leaf in bytes (SPEC 1.6).
const maxLeaf = 64 << 10

// describeMembers describes the document of a leaf.
func (l *Leaf) describeMembers(m *codec.Members) {
	codec.Hash512(m, "digest", &l.Digest)
	run.PackPath(m, "path", &l.Path)
	codec.Number(m, "size", &l.Size, 0, form.MaxInt)
}

// Append appends the document of the leaf: canonical JSON, without a line feed.
func (l *Leaf) Append(b []byte) []byte {
	m := codec.WriteMembers(b)
	l.describeMembers(&m)
	return m.End()
}

// hash returns the hash of the leaf in the tree.
func (l *Leaf) hash(h hash.Hash) []byte { return merkle.Leaf(h, l.Append(nil)) }

// parseLeaf reads a line, without its line feed. The line must be the one spelling.
func parseLeaf(line []byte) (Leaf, *ijson.Fault) {
	v, fault := ijson.Parse(line)
	if fault != nil {
		return Leaf{}, fault
	}
	var r form.Reader
	var l Leaf
	codec.ReadMembers(&r, v, l.describeMembers)
	if f := r.Faults(); len(f) > 0 {
		return Leaf{}, &f[0]
	}
	if !bytes.Equal(l.Append(nil), line) {
		return Leaf{}, &ijson.Fault{Code: Spelling, Expected: "canonical JSON", Found: "another spelling"}
	}
	return l, nil
}

// LeavesError is a list of leaves that has not its form.
type LeavesError struct {
	Line  int64 // from 1
	Fault ijson.Fault
}

// Error returns the fault and its line.
func (e *LeavesError) Error() string {
	return fmt.Sprintf("line %d: expected %s, found %s", e.Line, safetext.Line(e.Fault.Expected),
		safetext.Line(e.Fault.Found))
}

// Finding returns the fault as a finding about the list.
func (e *LeavesError) Finding() finding.InDocument {
	return finding.At(SealSpelling, "", e.Fault.Expected, e.Error())
}

// Leaves reads a list of leaves: a line each, in ascending order of the bytes of their paths,
// no path twice. It must come from [ReadLeaves].
type Leaves struct {
	lines *bufio.Reader
	line  int64
	last  string
	text  []byte
}

// ReadLeaves returns a reader of a list of leaves.
func ReadLeaves(r io.Reader) *Leaves { return &Leaves{lines: bufio.NewReaderSize(r, maxLeaf+1)} }

// Next returns the next leaf, and io.EOF after the last. Another error is a
// [LeavesError], or of reading.
func (l *Leaves) Next() (Leaf, error) {
	text, err := l.lines.ReadSlice('\n')
	l.line++
	switch {
	case errors.Is(err, io.EOF) && len(text) == 0:
		return Leaf{}, io.EOF
	case errors.Is(err, io.EOF):
		return Leaf{}, l.fault(Spelling, "a line feed", "the end of the file")
	case errors.Is(err, bufio.ErrBufferFull):
		return Leaf{}, l.fault(form.TooLarge, fmt.Sprintf("at most %d octets", maxLeaf), "a longer line")
	case err != nil:
		return Leaf{}, err
	}
	l.text = text[:len(text)-1]
	leaf, fault := parseLeaf(l.text)
	if fault != nil {
		return Leaf{}, &LeavesError{l.line, *fault}
	}
	if l.line > 1 && leaf.Path <= l.last {
		return Leaf{}, l.fault(form.Unordered, "paths in ascending order, none twice", "another order")
	}
	l.last = leaf.Path
	return leaf, nil
}

// All yields the leaves that are left. An error is the last thing that it yields.
func (l *Leaves) All() iter.Seq2[Leaf, error] {
	return func(yield func(Leaf, error) bool) {
		for {
			leaf, err := l.Next()
			if errors.Is(err, io.EOF) || !yield(leaf, err) || err != nil {
				return
			}
		}
	}
}

func (l *Leaves) fault(code, expected, found string) error {
	return &LeavesError{l.line, ijson.Fault{Code: code, Expected: expected, Found: found}}
}
