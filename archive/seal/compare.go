package seal

import (
	"context"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"

	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/access"
	"github.com/svc-edge/svc-verify/internal/listing"
	"github.com/svc-edge/svc-verify/internal/merkle"
)

// compare reads every object of an archive. If the list of leaves is usable, it says
// which of them differ.
func (r *Report) compare(ctx context.Context, s *Seal, a Against, usable bool) error {
	c := &comparison{ctx: ctx, report: r, seal: s, against: a, reader: newOctets(a.Archive)}
	return errors.Join(c.run(usable), c.reader.Close())
}

// octets reads objects. It must come from newOctets.
type octets struct {
	*listing.Reader
	buffer []byte
}

func newOctets(root *listing.Root) *octets { return &octets{root.Reader(), make([]byte, 64<<10)} }

// leaf reads an object to its end, and returns its leaf under the first hash. All are
// given the same octets.
func (o *octets) leaf(path string, hashes ...hash.Hash) (Leaf, error) {
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
	reader  *octets

	tree     *merkle.Tree
	unlisted string // the last folder that could not be listed, with a slash
}

// run reads every object. With a list of leaves it says which differ; without, whether
// any does.
func (c *comparison) run(usable bool) error {
	h := c.seal.Statement.Hash.New()
	c.tree = merkle.New(c.seal.Statement.Hash.New())
	var sealed *cursor
	if usable {
		sealed = &cursor{leaves: ReadLeaves(c.against.Leaves)}
		sealed.next()
	}
	before := len(c.report.Findings)
	for e, err := range c.against.Archive.All(c.ctx) {
		if err != nil {
			return err
		}
		for sealed.has() && sealed.leaf.Path < e.Path {
			c.missing(sealed)
		}
		c.object(e, h, sealed)
	}
	for sealed.has() {
		c.missing(sealed)
	}
	if sealed != nil {
		return sealed.failure
	}
	if len(c.report.Findings) == before { // of what could not be read, nothing is known
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
			return fmt.Sprintf("%d objects and %d octets with the root %s", s.Objects, s.Octets, hexOf(s.Root))
		}
		c.report.add("archive", finding.At(SealRoot, "", say(st), say(found)))
	}
}

// missing adds a finding about the next sealed object, which is not there. Of what is
// below a folder that could not be listed, nothing is known.
func (c *comparison) missing(sealed *cursor) {
	if c.unlisted == "" || !strings.HasPrefix(sealed.leaf.Path, c.unlisted) {
		c.report.add("archive", finding.At(ObjectMissing, object.PathText(sealed.leaf.Path),
			fmt.Sprintf("%d octets", sealed.leaf.Size), "no object"))
	}
	sealed.next()
}

// object compares one object.
func (c *comparison) object(e listing.Entry, h hash.Hash, sealed *cursor) {
	text := object.PathText(e.Path)
	expected := sealed.has() && sealed.leaf.Path == e.Path
	if e.Err == nil {
		leaf, err := c.reader.leaf(e.Path, h)
		if e.Err = err; err == nil {
			c.report.Examined.Objects++
			c.report.Examined.Octets += leaf.Size
			if c.against.Progress != nil {
				c.against.Progress(c.report.Examined.Objects)
			}
			c.tree.Add(leaf.Append(nil))
			switch {
			case sealed == nil:
			case !expected:
				c.report.add("archive", finding.At(ObjectAdded, text, "only sealed objects",
					fmt.Sprintf("%d octets", leaf.Size)))
			case leaf != sealed.leaf:
				c.report.add("archive", finding.At(ObjectAltered, text, describe(sealed.leaf), describe(leaf)))
			}
		}
	}
	if e.Err != nil {
		if e.Folder() {
			c.unlisted = e.Path
		}
		c.report.add("archive", finding.At(ObjectUnreadable, text, "a file that can be read", e.Err.Error()))
	}
	if expected {
		sealed.next()
	}
}

func describe(l Leaf) string {
	return fmt.Sprintf("%d octets with the digest %x", l.Size, l.Digest[:8])
}

// cursor is where a comparison is in the list of leaves, which was checked already.
type cursor struct {
	leaves  *Leaves
	leaf    Leaf
	ended   bool
	failure error
}

// has reports whether there is a next leaf. A nil cursor has none.
func (c *cursor) has() bool { return c != nil && !c.ended }

func (c *cursor) next() {
	leaf, err := c.leaves.Next()
	c.leaf = leaf
	if err != nil {
		c.ended = true
		if !errors.Is(err, io.EOF) {
			c.failure = err
		}
	}
}
