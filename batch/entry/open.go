package entry

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"

	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/internal/access"
)

// PerEntry is the size that each entry from a compressed source adds to the bytes that were
// decompressed: its record costs as much. A proof is far larger.
const PerEntry = 1 << 10

// container is content that is compressed or an archive, and is read by package read.
type container struct {
	*walk
	spots []*spot // of the content and of the members that are open, the outermost first
	stop  error
	leaf  *read.Leaf // that entries are taken out of
	over  error      // there is more work in it than the limits admit

	held *Entry       // the last entry, since later input may be about it; may be nil
	of   *read.Member // that it is of
	torn bool         // the leaf of the held entry did not end as it should
}

// spot is the place of the content, or of a member.
type spot struct {
	where
	of   *read.Member // nil for the content
	used bool         // an entry has the name
}

// open yields the entries of content that is compressed or an archive.
func (c *content) open() error {
	var r io.Reader = io.MultiReader(bytes.NewReader(c.head), &rest{c})
	if c.file != nil {
		r = io.NewSectionReader(c.file, 0, math.MaxInt64)
	}
	o := &container{walk: c.walk, spots: []*spot{{where: c.at}}}
	c.walk.opened = o
	defer func() { c.walk.opened = nil }()
	err := read.Read(c.ctx, r, read.Options{Limits: c.source.Limits, Leaf: o.take}, o)
	fatal := new(fatalError)
	switch {
	case o.stop != nil:
		return o.stop
	case c.ctx.Err() != nil:
		return c.ctx.Err()
	case errors.As(err, &fatal):
		return fatal
	case err != nil && !o.torn:
		err = o.broken(nil, access.WithoutPath(err))
	default:
		err = nil
	}
	return errors.Join(err, o.flush())
}

// take yields the entries of a leaf.
func (o *container) take(l *read.Leaf) error {
	o.leaf, o.over = l, nil
	defer func() { o.leaf = nil }()
	if o.stop = o.flush(); o.stop != nil {
		return o.stop
	}
	c := &content{walk: o.walk, at: o.place(l.Member), size: -1, r: l}
	if l.Err != nil {
		o.stop = o.emit(c.at, Entry{Size: -1, Err: l.Err})
	} else {
		o.stop = c.text()
		o.torn = o.held != nil && (o.torn || c.failed() != nil)
	}
	if o.over != nil {
		o.stop = nil
		return o.over
	}
	return o.stop
}

// place is the place of an entry of a member, or of the content if that is nil.
func (o *container) place(m *read.Member) where {
	s := o.spot(m)
	at := s.where
	if s.used {
		at.name = o.names.unique(at.name)
	}
	s.used = true
	return at
}

// spot names a member, once.
func (o *container) spot(m *read.Member) *spot {
	for _, s := range o.spots {
		if s.of == m {
			return s
		}
	}
	in := o.spot(m.In)
	name := m.Name
	if name == "" {
		name = `""`
	}
	full := in.name + "!" + name
	s := &spot{where{o.names.unique(full), in.place, name}, m, false}
	if s.place.Entry != "" {
		s.place.Entry += "!"
	}
	s.place.Entry += name + s.name[len(full):]
	o.spots = append(o.spots[:slices.Index(o.spots, in)+1], s)
	return s
}

// charge counts an entry as work, and returns an error if that is too much.
func (o *container) charge() error {
	if o.leaf == nil {
		return nil
	}
	if o.over == nil {
		o.over = o.leaf.Charge(PerEntry)
	}
	return o.over
}

// hold keeps an entry of a leaf back until its archive can report no fault in it, and
// yields the one before.
func (o *container) hold(e Entry) error {
	if err := o.flush(); err != nil {
		return err
	}
	if o.leaf == nil {
		return o.yield(e)
	}
	o.held, o.of, o.torn = &e, o.leaf.Member, o.over != nil
	return o.over
}

// flush yields the entry that is held.
func (o *container) flush() error {
	e := o.held
	o.held, o.torn = nil, false
	if e == nil {
		return nil
	}
	return o.yield(*e)
}

// broken yields an entry for an unread part, whatever the patterns are.
func (o *container) broken(m *read.Member, why error) error {
	if err := o.flush(); err != nil {
		return err
	}
	at := o.place(m)
	at.matched = ""
	return o.emit(at, Entry{Size: -1, Err: why})
}

// Format implements [read.Handler].
func (o *container) Format(string, read.Format, string) error { return nil }

// Record implements [read.Handler].
func (o *container) Record(*read.Record) error { return nil }

// Skip implements [read.Handler]. An unread part is an entry, or the fault of the one before.
// Damage of several containers around it is reported once.
func (o *container) Skip(s read.Skip) error {
	if s.IsRemark() {
		return nil
	}
	why := errors.New(s.Text())
	if o.held != nil && s.IsDamage() && (s.Member == o.of || o.torn && isIn(o.of, s.Member)) {
		*o.held = Entry{Name: o.held.Name, Place: o.held.Place, Size: -1, Err: why, Ref: o.held.Ref}
		return nil
	}
	o.stop = o.broken(s.Member, why)
	return o.stop
}

// isIn reports whether a member is in another, or in the file if that is nil.
func isIn(m, in *read.Member) bool {
	for ; m != nil; m = m.In {
		if m == in {
			return true
		}
	}
	return in == nil
}
