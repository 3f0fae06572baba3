package unwrap

import (
	"bytes"
	"errors"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
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

	// Disclosed says that an event stands in a bundle that is broken, and so is no
	// copy of a log.
	Disclosed bool
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

	// InDigits says that Open is between two digits, where a text can be cut.
	InDigits bool

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

	// BetweenDigits says that the text begins where another one was cut ([Result.InDigits]).
	BetweenDigits bool

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

// Find finds what a text contains.
func (f *Finder) Find(text []byte) *Result {
	f.result = Result{Matches: f.result.Matches[:0], Pieces: f.result.Pieces[:0], Open: -1}
	f.kept, f.steps = f.kept[:0], f.steps[:0]
	f.budget = f.Looked + costOfAll*int64(len(text)) + costOfAll<<10
	f.search(&view{text: text})
	slices.SortStableFunc(f.result.Matches, func(a, b Match) int { return a.Start - b.Start })
	return &f.result
}

// search searches a text, at any depth.
func (f *Finder) search(v *view) {
	l := &f.levels[v.depth]
	f.Looked += int64(len(v.text))
	l.anchors = appendAnchors(l.anchors[:0], v.text)
	l.walk.found = l.walk.found[:0]
	if slices.ContainsFunc(l.anchors, func(a anchor) bool { return a.layer == nil || a.layer == backslash && v.hasMembers() }) {
		l.walk.reset(v.text)
		l.walk.all()
		f.Looked += int64(l.walk.looked)
	}
	at := 0
	for {
		s, ok := f.listed(v, at, len(v.text), &dump)
		if !ok {
			break
		}
		f.objects(v, at, s.from)
		at = s.to
	}
	f.objects(v, at, len(v.text))
}

// hasMembers reports whether the members around the body of an event stand in a text as
// they are.
func (v *view) hasMembers() bool { return bytes.Contains(v.text, []byte(`"previous_hash"`)) }

// objects searches a part of a text for objects that stand there as they are, and what
// is between them.
func (f *Finder) objects(v *view, from, to int) {
	found := f.levels[v.depth].walk.found
	for i := range found {
		if o := &found[i]; o.from >= from && o.to <= to {
			f.gap(v, from, o.from)
			f.object(v, o)
			from = o.to
		}
	}
	f.gap(v, from, to)
}

// gap searches what is between the objects that stand in a text as they are.
func (f *Finder) gap(v *view, from, to int) {
	l := &f.levels[v.depth]
	for from < to {
		anchors := between(l.anchors, from, to)
		if len(anchors) == 0 {
			f.blind(v, from, to)
			return
		}
		a := anchors[0]
		if a.layer == nil {
			from = f.broken(v, from, to, a.at)
			continue
		}
		if a.layer == percent || a.layer == form { // nothing of which holds white space
			start := from + bytes.LastIndexAny(v.text[from:a.at], whiteSpace) + 1
			end := to
			if i := bytes.IndexAny(v.text[a.at:to], whiteSpace); i >= 0 {
				end = a.at + i
			}
			f.blind(v, from, start)
			f.peel(v, start, end, a.layer)
			from = end
			continue
		}
		if line, ok := f.line(v, from, to, a); ok {
			from = line
			continue
		}
		end := to
		if i := slices.IndexFunc(anchors, func(b anchor) bool { return b.layer != a.layer }); i >= 0 {
			end = anchors[i].at
		}
		from = f.group(v, from, end, to, a)
	}
}

// line searches the line on which an anchor stands, as most events stand on one
// line, and others can be written in another way. It returns where the search goes
// on if there was something on the line.
func (f *Finder) line(v *view, from, to int, a anchor) (end int, ok bool) {
	start, end := from+bytes.LastIndexByte(v.text[from:a.at], '\n')+1, to
	if i := bytes.IndexByte(v.text[a.at:to], '\n'); i >= 0 {
		end = a.at + i + 1
	}
	anchors := between(f.levels[v.depth].anchors, start, end)
	if start == from && end == to || slices.ContainsFunc(anchors, func(b anchor) bool { return b.layer != a.layer }) {
		return 0, false
	}
	pieces := len(f.result.Pieces)
	if !f.peel(v, start, end, a.layer) {
		f.result.Pieces = f.result.Pieces[:pieces]
		return 0, false
	}
	f.blind(v, from, start)
	return end, true
}

// group searches a part of a view in which all anchors are of one layer. What is
// behind end, if anything is, is of another, and begins before its anchor. It
// returns where the search goes on.
func (f *Finder) group(v *view, from, end, to int, a anchor) int {
	pieces := len(f.result.Pieces)
	found := f.peel(v, from, end, a.layer)
	if end == to {
		return end
	}
	if !found {
		return max(end, a.at+1)
	}
	last := &f.result.Matches[len(f.result.Matches)-1]
	for n := len(f.result.Pieces); n > pieces && f.result.Pieces[n-1].Start >= last.End; n-- {
		f.result.Pieces = f.result.Pieces[:n-1]
	}
	return max(from+1, f.newestEnd(v, from, end))
}

// peel undoes a layer over a part of a text and searches what comes out. It
// reports whether there was anything in it.
func (f *Finder) peel(v *view, from, to int, how *layer) bool {
	if v.depth == MaxLevels || f.Looked > f.budget {
		f.result.Deep = true
		f.piece(v, from, to)
		return false
	}
	l := &f.levels[v.depth+1]
	l.decoded, l.marks = how.decode(l.decoded[:0], v.text[from:to], l.marks[:0])
	if bytes.Equal(l.decoded, v.text[from:to]) { // an octet of an escape, and no escape
		f.piece(v, from, to)
		return false
	}
	return f.within(&view{text: l.decoded, depth: v.depth + 1, up: v, base: from, end: to, layer: how, marks: l.marks},
		how.name)
}

// within searches a text that was decoded in one step. It reports whether there
// was anything in it.
func (f *Finder) within(v *view, step string) bool {
	f.steps = append(f.steps, step)
	before := len(f.result.Matches)
	f.search(v)
	f.steps = f.steps[:len(f.steps)-1]
	return len(f.result.Matches) > before
}

// object keeps an object that stands in a text as it is.
func (f *Finder) object(v *view, o *object) {
	body := v.text[o.from:o.to]
	if o.kind != Event {
		f.keep(v, o.span, Match{Kind: o.kind, Body: body})
		return
	}
	m := Match{Kind: Event, Body: body, Rebuilt: (o.others || v.text[o.values[0].from] == '"') && !repeatsMember(body)}
	if m.Rebuilt {
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

// repeatsMember reports whether a member occurs twice in an object, or in one within it.
// To choose one of the two would be to decide what was signed.
func repeatsMember(body []byte) bool {
	return errors.Is(jsontext.NewDecoder(bytes.NewReader(body), jsontext.AllowInvalidUTF8(true)).SkipValue(),
		jsontext.ErrDuplicateName)
}

// rebuild makes an event of the members that an object has of one. Its body can be a text,
// as a table with a column for each member has it.
func (f *Finder) rebuild(text []byte, o *object) []byte {
	out := []byte{'{'}
	for i, value := range o.values {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, '"'), memberNames[i]...)
		out = append(out, `":`...)
		written := bytes.TrimRight(text[value.from:value.to], " \t\r\n")
		if i == 0 && written[0] == '"' {
			out, _ = backslash.decode(out, written[1:len(written)-1], nil)
			continue
		}
		out = append(out, written...)
	}
	return append(out, '}')
}

// keep notes what was found in a part of a view.
func (f *Finder) keep(v *view, at span, m Match) {
	m.Start, m.End = v.surface(at.from, false), v.surface(at.to, true)
	m.Disclosed = m.Kind == Event && isDisclosed(v, at)
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
	if n := len(f.result.Pieces); n > 0 && f.result.Pieces[n-1].Start <= s.Start && f.result.Pieces[n-1].End >= s.Start {
		f.result.Pieces[n-1].End = max(f.result.Pieces[n-1].End, s.End)
		return
	}
	f.result.Pieces = append(f.result.Pieces, s)
}

// open notes that something begins in a view and does not end in it.
func (f *Finder) open(v *view, from int) { f.openAt(v, v.surface(from, false)) }

// openAt is open for a place of the text that is searched.
func (f *Finder) openAt(v *view, at int) {
	const mostOfLine = 128 // of a line or number that is not whole
	digits := false
	for u := v; u.up != nil; u = u.up {
		rest := bytes.TrimRight(u.up.text[u.end:], "\r\n")
		if len(rest) > mostOfLine || bytes.IndexByte(bytes.TrimLeft(rest, "\r\n"), '\n') >= 0 {
			return // it ends within
		}
		digits = digits || u.layer == nil && len(u.marks) > 0
	}
	if f.result.Open < 0 || at < f.result.Open {
		f.result.Open, f.result.InDigits = at, digits
	}
}
