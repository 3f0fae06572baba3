package unwrap

import (
	"bytes"
	"errors"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Kind is the kind of a match.
type Kind uint8

// The kinds.
const (
	Event    Kind = iota + 1 // SPEC 4.2
	Bundle                   // SPEC 7
	Envelope                 // a signed statement, such as a checkpoint: SPEC 3.1
	Packed                   // bytes that were encoded, and begin as compressed data or an archive do
)

// Match is one thing that was found.
type Match struct {
	Kind Kind

	// Body is a match, freed from all that surrounds it.
	Body []byte

	// Start and End are where it is in the text, with its escapes.
	Start, End int

	// Steps are the ways in which it was written within the text, the outermost
	// first; none if it is there as it is.
	Steps []string

	// Rebuilt means that the object has other members besides an event's, and Body is made of
	// the latter.
	Rebuilt bool

	// Holds means that the hash of an event was checked, and is right.
	Holds bool

	// Disclosed means that an event is in a bundle that is broken, and so is no copy of a log.
	Disclosed bool
}

// Span is a part of a text.
type Span struct{ Start, End int }

// Result has the matches in a text. It is valid until the next call of Find.
type Result struct {
	Matches []Match // in the order in which they stand

	// Pieces are spans that contain pieces of an event, and nothing was found in
	// them.
	Pieces []Span

	// Open is where something begins that may go on behind the text; -1 if
	// nothing does.
	Open int

	// InDigits means that Open is between two digits, where a text can be cut.
	InDigits bool

	// Deep means that more is left in Pieces because it is wrapped too deep.
	Deep bool
}

// MaxLevels is how many wrappings are undone, one within the other.
const MaxLevels = 8

// costOfAll bounds the work: so many times a text may be looked at. Each level
// costs it a few times.
const costOfAll = 64

// costOfNames is how many times it may be looked at for members that have names.
const costOfNames = 16

// Finder finds the evidence in texts. The zero value is ready. It is not safe for concurrent
// use.
type Finder struct {
	findings
	levels [MaxLevels + 1]level
	mended level
	outer  level
	budget int64 // how many bytes may be looked at in all
	twice  int64 // and how many of them by mendTwice
	row    rowOrder
	byName bool   // there is an event whose members have names
	around []byte // the event of findQuoted
	quoted bool   // findQuoted has found the evidence in the text

	// BetweenDigits means that the text begins where another one was cut ([Result.InDigits]).
	BetweenDigits bool

	// Looked counts the bytes that were looked at, some more than once.
	Looked int64

	// Traces means that the last text of MayHold has traces of an event.
	Traces bool

	// IsPacked reports whether bytes begin as compressed data or an archive do.
	// If it is nil, none do.
	IsPacked func([]byte) bool
}

// Find finds the evidence in a text.
func (f *Finder) Find(text []byte) *Result {
	if s := &f.levels[0].sight; f.quoted && s.isWhole(text) || s.text == nil && findQuoted(f, text) {
		f.Forget()
		return &f.result
	}
	f.result = Result{Matches: f.result.Matches[:0], Pieces: f.result.Pieces[:0], Open: -1}
	f.kept, f.steps, f.row, f.byName = f.kept[:0], f.steps[:0], rowOrder{}, false
	f.budget = f.Looked + costOfAll*int64(len(text)) + costOfAll<<10
	f.twice = (costOfAll*int64(len(text)) + costOfAll<<10) / 4
	v := &view{text: text}
	f.searchView(v)
	byStart := func(a, b Match) int { return a.Start - b.Start }
	if slices.SortStableFunc(f.result.Matches, byStart); searchPieces(f, v) {
		slices.SortStableFunc(f.result.Matches, byStart)
	}
	f.tracesBetween(text)
	f.levels[0].sight = sight{} // the text is the caller's again
	return &f.result
}

// searchView searches a text, at any depth.
func (f *Finder) searchView(v *view) {
	l := &f.levels[v.depth]
	f.lookAt(v.depth, v.text)
	l.anchors = appendAnchors(l.anchors[:0], v.text)
	l.walk.found = l.walk.found[:0]
	plain := func(a anchor) bool { return a.layer == nil || a.layer == backslash && v.hasMembers() }
	if slices.ContainsFunc(l.anchors, plain) {
		l.walk.resetTo(v.text)
		l.walk.walkAll()
		f.Looked += int64(l.walk.looked)
		if l.walk.cut >= 0 {
			f.noteOpen(v, l.walk.cut)
		}
	}
	f.octetsIn(v, 0, len(v.text), 0, f.searchObjects)
}

// hasMembers reports whether the members around the body of an event stand in a text as
// they are.
func (v *view) hasMembers() bool { return bytes.Contains(v.text, []byte(`"previous_hash"`)) }

// searchObjects searches a part of a text for plain objects, and the bytes between them.
func (f *Finder) searchObjects(v *view, from, to int) {
	found := f.levels[v.depth].walk.found
	for i := range found {
		switch o := &found[i]; {
		case o.from < from || o.to > to:
		case o.kind == 0:
			if row, ok := searchRow(f, v, o); ok {
				f.searchGap(v, from, max(row.from, from))
				from = row.to
			}
		default:
			f.searchGap(v, from, o.from)
			f.keepObject(v, o)
			from = o.to
		}
	}
	f.searchGap(v, from, to)
}

// keepObject keeps an object that is in a text as it is.
func (f *Finder) keepObject(v *view, o *object) {
	body := v.text[o.from:o.to]
	if o.kind != Event {
		f.keepMatch(v, o.span, Match{Kind: o.kind, Body: body})
		return
	}
	m := Match{Kind: Event, Body: body, Rebuilt: (o.others || v.text[o.values[0].from] == '"') && !repeatsMember(body)}
	if m.Rebuilt {
		m.Body = f.rebuildEvent(v.text, o)
	}
	breaks := slices.Contains(f.steps, unbroken.name)
	if isAmbiguous(body) || breaks {
		if m.Holds = Holds(m.Body); !m.Holds {
			if _, ok := f.mendObject(v, o.from, o.to, isEvent(m.Body)); ok {
				return
			}
		}
	}
	if !m.Holds && (breaks || isExtended(body)) {
		f.keepPiece(v, o.from, o.to) // anything can have stood at the breaks, or for the values
		return
	}
	f.keepMatch(v, o.span, m)
}

// repeatsMember reports whether a member occurs twice in an object, or in one within it. To
// choose one of the two would be to decide which one was signed.
func repeatsMember(body []byte) bool {
	return errors.Is(jsontext.NewDecoder(bytes.NewReader(body), jsontext.AllowInvalidUTF8(true)).SkipValue(),
		jsontext.ErrDuplicateName)
}

// rebuildEvent makes an event of the members that an object has of one. Its body can be a text,
// as a table with a column for each member has it.
func (f *Finder) rebuildEvent(text []byte, o *object) []byte {
	var values [eventNames][]byte
	for i, value := range o.values {
		values[i] = bytes.TrimRight(text[value.from:value.to], " \t\r\n")
	}
	if body := values[0]; body[0] == '"' {
		values[0], _ = backslash.decodeLayer(nil, body[1:len(body)-1], nil)
	}
	return writeEvent(values, "")
}

// writeEvent writes an event of its values. All but the body are in quotes, which may have to be added.
func writeEvent(values [eventNames][]byte, quote string) []byte {
	out := []byte{'{'}
	for i, value := range values {
		out = append(append(out, '"'), memberNames[i]...)
		if out = append(out, `":`...); i > 0 {
			out = append(append(append(out, quote...), value...), quote...)
		} else {
			out = append(out, value...)
		}
		out = append(out, ',')
	}
	out[len(out)-1] = '}'
	return out
}

// keepMatch notes the matches in a part of a view.
func (f *findings) keepMatch(v *view, at span, m Match) {
	m.Start, m.End = v.surfacePlace(at.from, false), v.surfacePlace(at.to, true)
	m.Disclosed = m.Kind == Event && isDisclosed(v, at)
	if m.Steps = slices.Clone(f.steps); v.up != nil || m.Kind == Packed {
		start := len(f.kept)
		f.kept = append(f.kept, m.Body...)
		m.Body = f.kept[start:len(f.kept):len(f.kept)]
	}
	f.result.Matches = append(f.result.Matches, m)
}

// keepPiece notes a part of a view that contains pieces of an event.
func (f *findings) keepPiece(v *view, from, to int) {
	f.result.Deep = f.result.Deep || v.depth == MaxLevels
	s := Span{v.surfacePlace(from, false), v.surfacePlace(to, true)}
	if n := len(f.result.Pieces); n > 0 && f.result.Pieces[n-1].Start <= s.Start && f.result.Pieces[n-1].End >= s.Start {
		f.result.Pieces[n-1].End = max(f.result.Pieces[n-1].End, s.End)
		return
	}
	f.result.Pieces = append(f.result.Pieces, s)
}

// noteOpen notes that something begins in a view and does not end in it.
func (f *findings) noteOpen(v *view, from int) { f.openAt(v, v.surfacePlace(from, false)) }

// openAt is noteOpen for a place of the text that is searched.
func (f *findings) openAt(v *view, at int) {
	const mostOfLine = 128 // of a line or number that is not whole
	digits := false
	for u := v; u.up != nil; u = u.up {
		rest := bytes.TrimRight(u.up.text[u.end:], "\r\n")
		if len(rest) > mostOfLine || bytes.IndexByte(bytes.TrimLeft(rest, "\r\n"), '\n') >= 0 {
			return // it ends within
		}
		digits = digits || u.layer == nil && len(u.marks) > 0 && !u.verbatim
	}
	if f.result.Open < 0 || at < f.result.Open {
		f.result.Open, f.result.InDigits = at, digits
	}
}
