package seal

import (
	"context"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/svc-edge/svc-verify/archive/ledger"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/archive/timestamp"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/merkle"
)

// compare reads every object of an archive. If the list of leaves is usable, it reports which
// of them differ.
func (r *Report) compare(ctx context.Context, s *Seal, a Against, usable bool) error {
	c := &comparison{newReading(r, a.Archive, s.Statement.Hash, a.Progress), ctx, s, a}
	return errors.Join(c.run(usable), c.reader.Close())
}

// Reader reads objects. It must come from [NewReader].
type Reader struct {
	*listing.Reader
	buffer []byte
}

// NewReader returns a reader of an archive.
func NewReader(root *listing.Root) *Reader { return &Reader{root.Reader(), make([]byte, 64<<10)} }

// Leaf reads an object to its end, and returns its leaf under the last hash. All hashes read the
// same bytes.
func (o *Reader) Leaf(path string, hashes ...hash.Hash) (Leaf, error) {
	f, err := o.Open(path)
	if err != nil {
		return Leaf{}, err
	}
	var all []io.Writer
	for _, h := range hashes {
		h.Reset()
		all = append(all, h)
	}
	l := Leaf{Path: path}
	l.Size, err = io.CopyBuffer(io.MultiWriter(all...), struct{ io.Reader }{f}, o.buffer)
	if err := errors.Join(err, f.Close()); err != nil {
		return Leaf{}, access.WithoutPath(err)
	}
	hashes[len(hashes)-1].Sum(l.Digest[:0])
	return l, nil
}

// reading reads the objects of an archive, and makes the tree over them.
type reading struct {
	report   *Report
	reader   *Reader
	hash     hash.Hash
	tree     *merkle.Tree
	line     []byte
	progress func(objects int64) // can be nil
}

func newReading(r *Report, archive *listing.Root, h timestamp.Hash, progress func(objects int64)) reading {
	return reading{report: r, reader: NewReader(archive), hash: h.New(), tree: merkle.New(h.New()), progress: progress}
}

// readLeaf reads an object as [Reader.Leaf] does, and reports whether that was possible.
func (r *reading) readLeaf(e listing.Entry, more ...hash.Hash) (l Leaf, ok bool) {
	if e.Err == nil {
		l, e.Err = r.reader.Leaf(e.Path, append(more, r.hash)...)
	}
	if e.Err != nil {
		r.report.add("archive", finding.At(ObjectUnreadable, object.PathText(e.Path), "a file that can be read",
			e.Err.Error()))
	}
	return l, e.Err == nil
}

// addLeaf counts an object, and adds its leaf to the tree. It returns the line of the leaf.
func (r *reading) addLeaf(l Leaf) []byte {
	r.line = l.Append(r.line[:0])
	r.tree.Add(r.line)
	r.report.Examined.Objects++
	r.report.Examined.Octets += l.Size
	if r.progress != nil {
		r.progress(r.report.Examined.Objects)
	}
	return append(r.line, '\n')
}

// fillTotals fills in the members of a seal over the objects that were read.
func (r *reading) fillTotals(st *Statement) {
	st.Objects, st.Octets, st.Root = r.report.Examined.Objects, r.report.Examined.Octets, Digest(r.tree.Root())
}

// comparison reads an archive and compares it with a seal.
type comparison struct {
	reading
	ctx     context.Context
	seal    *Seal
	against Against
}

// run reads every object. With a list of leaves it reports which differ; without, whether any
// does.
func (c *comparison) run(usable bool) error {
	leaves := func(func(Leaf, error) bool) {}
	if usable {
		leaves = ReadLeaves(c.against.Leaves).All()
	}
	before := len(c.report.Findings)
	ignored := &run.Ignored{Patterns: c.seal.Statement.Ignored}
	defer c.report.passOver(ignored)
	pairs := ledger.Join(c.against.Archive.All(c.ctx), leaves, func(l Leaf) string { return l.Path })
	for p, err := range ledger.Examined(pairs, ignored) {
		switch {
		case err != nil:
			return err
		case p.There:
			c.object(p, usable)
		case p.Unlisted == nil: // nothing is known of objects below a folder that could not be listed
			c.report.add("archive", finding.At(ObjectMissing, object.PathText(p.Path),
				fmt.Sprintf("%d octets", p.Row.Size), "no object"))
		}
	}
	if len(c.report.Findings) == before { // nothing is known of objects that could not be read
		c.whole()
	}
	return nil
}

// whole compares the archive with the seal without a list of leaves.
func (c *comparison) whole() {
	st, found := c.seal.Statement, Statement{}
	c.fillTotals(&found)
	if found.Objects != st.Objects || found.Octets != st.Octets || found.Root != st.Root {
		say := func(s Statement) string {
			return fmt.Sprintf("%d objects and %d octets with the root %s", s.Objects, s.Octets, s.Root.String())
		}
		c.report.add("archive", finding.At(SealRoot, "", say(st), say(found)))
	}
}

// object compares one object with its leaf, if there is a list of leaves.
func (c *comparison) object(p ledger.Pair[Leaf], listed bool) {
	leaf, ok := c.readLeaf(p.Entry)
	if !ok {
		return
	}
	c.addLeaf(leaf)
	switch text := object.PathText(p.Path); {
	case !listed:
	case !p.Known:
		c.report.add("archive", finding.At(ObjectAdded, text, "only sealed objects", fmt.Sprintf("%d octets", leaf.Size)))
	case leaf != p.Row:
		c.report.add("archive", finding.At(ObjectAltered, text, describe(p.Row), describe(leaf)))
	}
}

func describe(l Leaf) string {
	return fmt.Sprintf("%d octets with the digest %x", l.Size, l.Digest[:8])
}
