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
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/merkle"
)

// compare reads every object of an archive. If the list of leaves is usable, it reports which
// of them differ.
func (r *Report) compare(ctx context.Context, s *Seal, a Against, usable bool) error {
	c := &comparison{ctx: ctx, report: r, seal: s, against: a, reader: NewReader(a.Archive)}
	return errors.Join(c.run(usable), c.reader.Close())
}

// Reader reads objects. It must come from [NewReader].
type Reader struct {
	*listing.Reader
	buffer []byte
}

// NewReader returns a reader of an archive.
func NewReader(root *listing.Root) *Reader { return &Reader{root.Reader(), make([]byte, 64<<10)} }

// Leaf reads an object to its end, and returns its leaf under the first hash. All hashes read
// the same bytes.
func (o *Reader) Leaf(path string, hashes ...hash.Hash) (Leaf, error) {
	f, err := o.Open(path)
	if err != nil {
		return Leaf{}, err
	}
	for _, h := range hashes {
		h.Reset()
	}
	l := Leaf{Path: path}
	for err == nil {
		var n int
		n, err = f.Read(o.buffer)
		l.Size += int64(n)
		for _, h := range hashes {
			h.Write(o.buffer[:n])
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return Leaf{}, access.WithoutPath(err)
	}
	hashes[0].Sum(l.Digest[:0])
	return l, nil
}

// comparison reads an archive and compares it with a seal.
type comparison struct {
	ctx     context.Context
	report  *Report
	seal    *Seal
	against Against
	reader  *Reader
	tree    *merkle.Tree
}

// run reads every object. With a list of leaves it reports which differ; without, whether any
// does.
func (c *comparison) run(usable bool) error {
	h := c.seal.Statement.Hash.New()
	c.tree = merkle.New(c.seal.Statement.Hash.New())
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
			c.object(p, h, usable)
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
	st := c.seal.Statement
	found := Statement{Objects: int64(c.tree.Size()), Octets: c.report.Examined.Octets,
		Root: Digest(c.tree.Root())} //nolint:gosec // counted
	if found.Objects != st.Objects || found.Octets != st.Octets || found.Root != st.Root {
		say := func(s Statement) string {
			return fmt.Sprintf("%d objects and %d octets with the root %s", s.Objects, s.Octets, s.Root.String())
		}
		c.report.add("archive", finding.At(SealRoot, "", say(st), say(found)))
	}
}

// object compares one object with its leaf, if there is a list of leaves.
func (c *comparison) object(p ledger.Pair[Leaf], h hash.Hash, listed bool) {
	text, fault := object.PathText(p.Path), p.Entry.Err
	var leaf Leaf
	if fault == nil {
		leaf, fault = c.reader.Leaf(p.Path, h)
	}
	if fault != nil {
		c.report.add("archive", finding.At(ObjectUnreadable, text, "a file that can be read", fault.Error()))
		return
	}
	c.report.Examined.Objects++
	c.report.Examined.Octets += leaf.Size
	if c.against.Progress != nil {
		c.against.Progress(c.report.Examined.Objects)
	}
	c.tree.Add(leaf.Append(nil))
	switch {
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
