package unwrap

import (
	"bytes"
	"slices"
)

// Kind is what was found.
type Kind uint8

// The kinds.
const (
	Event    Kind = iota + 1 // SPEC 4.2
	Bundle                   // SPEC 7
	Envelope                 // a signed statement, such as a checkpoint: SPEC 3.1
	Packed                   // octets that were encoded, and begin as compressed data or an archive do
)

// Match is one thing that was found.
type Match struct {
	Kind Kind

	// Body is what was found, freed from all that surrounds it.
	Body []byte

	// Start and End are where it stands in the text, with its escapes.
	Start, End int

	// Steps are the ways in which it was written within the text, the outermost
	// first; none if it stands there as it is.
	Steps []string

	// Rebuilt says that the object has other members besides those of an event,
	// and Body is made of the latter.
	Rebuilt bool

	// Holds says that the hash of an event was checked, and is right.
	Holds bool
}

// Span is a part of a text.
type Span struct{ Start, End int }

// Result is what was found in a text. It is valid until the next call of Find.
type Result struct {
	Matches []Match // in the order in which they stand

	// Pieces are spans that contain pieces of an event, and nothing was found in
	// them.
	Pieces []Span

	// Open is where something begins that may go on behind the text; -1 if
	// nothing does.
	Open int

	// Deep says that more is left in Pieces because it is wrapped too deep.
	Deep bool
}

// MaxLevels is how many wrappings are undone, one within the other.
const MaxLevels = 8

// costOfAll bounds the work: so many times a text may be looked at. Each level
// costs it a few times.
const costOfAll = 64

// Finder finds what texts contain. The zero value is ready. It is not safe for
// concurrent use.
type Finder struct {
	levels [MaxLevels + 1]level
	steps  []string
	result Result
	kept   []byte // the bodies that were decoded
	mended level
	budget int64 // how many octets may be looked at in all

	// Looked counts the octets that were looked at, some more than once.
	Looked int64

	// IsPacked reports whether octets begin as compressed data or an archive do.
	// If it is nil, none do.
	IsPacked func([]byte) bool
}

// level is what a text at one depth is searched with.
type level struct {
	walk    walk
	anchors []anchor
	decoded []byte
	marks   []mark
}

// object keeps an object that stands in a text as it is.
func (f *Finder) object(v *view, o *object) {
	body := v.text[o.from:o.to]
	if o.kind != Event {
		f.keep(v, o.span, Match{Kind: o.kind, Body: body})
		return
	}
	m := Match{Kind: Event, Body: body, Rebuilt: o.others}
	if o.others {
		m.Body = f.rebuild(v.text, o)
	}
	if isAmbiguous(body) || slices.Contains(f.steps, unbroken.name) {
		if m.Holds = Holds(m.Body); !m.Holds {
			if _, ok := f.mend(v, o.from, o.to, isEvent(m.Body)); ok {
				return
			}
		}
	}
	if slices.Contains(f.steps, unbroken.name) && !m.Holds {
		f.piece(v, o.from, o.to) // anything can have stood at the breaks
		return
	}
	f.keep(v, o.span, m)
}

// rebuild makes an event of the members that an object has of one.
func (f *Finder) rebuild(text []byte, o *object) []byte {
	out := []byte{'{'}
	for i, value := range o.values {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, '"'), memberNames[i]...)
		out = append(out, `":`...)
		out = append(out, bytes.TrimRight(text[value.from:value.to], " \t\r\n")...)
	}
	return append(out, '}')
}

// keep notes what was found in a part of a view.
func (f *Finder) keep(v *view, at span, m Match) {
	m.Start, m.End = v.surface(at.from, false), v.surface(at.to, true)
	if m.Steps = slices.Clone(f.steps); v.up != nil || m.Kind == Packed {
		start := len(f.kept)
		f.kept = append(f.kept, m.Body...)
		m.Body = f.kept[start:len(f.kept):len(f.kept)]
	}
	f.result.Matches = append(f.result.Matches, m)
}

// piece notes a part of a view that contains pieces of an event.
func (f *Finder) piece(v *view, from, to int) {
	f.result.Deep = f.result.Deep || v.depth == MaxLevels
	s := Span{v.surface(from, false), v.surface(to, true)}
	if n := len(f.result.Pieces); n > 0 && f.result.Pieces[n-1].End >= s.Start {
		f.result.Pieces[n-1].End = max(f.result.Pieces[n-1].End, s.End)
		return
	}
	f.result.Pieces = append(f.result.Pieces, s)
}

// open notes that something begins in a view and does not end in it.
func (f *Finder) open(v *view, from int) {
	for u := v; u.up != nil; u = u.up {
		if u.end < len(u.up.text) {
			return // it ends within
		}
	}
	if at := v.surface(from, false); f.result.Open < 0 || at < f.result.Open {
		f.result.Open = at
	}
}
