package unwrap

import (
	"bytes"
	"slices"

	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/internal/ijson"
)

// others are the layers that leave quotation marks as they are, so that an event
// seems to stand there as it is. They are tried where its hash does not hold.
var others = []*layer{
	backslash, backslashes, apostrophes, shell, entities, printable, folded, unbroken, colours, sections, rich,
	onlyQuotes, onlySingle, plus, extendedJSON, troff, octalSigns, yamlSingle, clixml, standardSQL, percents, dollars,
	templates, bars, hardSpaces, literal, byteaInCopy, decimals, carets, backticks, atSigns, teamCity, visible, teX,
	misread,
}

// besideBreaks are the others than joining lines.
var besideBreaks = slices.DeleteFunc(slices.Clone(others), func(l *layer) bool { return l == unbroken })

// respelled has the characters that one of the others changes wherever they are.
var respelled = setOf("\\'&=+\r\n\x1b$#%|<^@`")

// isAmbiguous reports whether a body could be read in another way: it contains characters that
// one of them changes.
func isAmbiguous(body []byte) bool {
	return slices.ContainsFunc(body, func(c byte) bool { return respelled[c] }) ||
		hasMisread(body) || bytes.Contains(body, []byte("\u00a0")) ||
		bytes.Contains(body, []byte("_x")) || bytes.Contains(body, []byte("]]>")) || bytes.Contains(body, []byte("M-"))
}

// MayBeRespelled reports whether an event that seems to stand there as it is could be read in
// another way: it has bytes of escapes, and its hash does not hold.
func MayBeRespelled(event []byte) bool { return isAmbiguous(event) && !Holds(event) }

// mendObject tries other readings of an object that begins at from in a view and breaks off,
// or has a wrong hash. It keeps the first whose hash holds; if none does, and strict is false,
// the first that is an event at all. It returns where that ends.
func (f *Finder) mendObject(v *view, from, to int, strict bool) (end int, ok bool) {
	text := v.text[from:to]
	l := &f.mended
	ways := others
	if bytes.IndexByte(text, '\n') >= 0 {
		before := v.text[bytes.LastIndexByte(v.text[:from], '\n')+1 : from]
		ways = append([]*layer{unbroken, brokenLines(before, text)}, besideBreaks...)
	}
	for pass := range 2 {
		for _, how := range ways {
			if how.nextEscape(text) == len(text) {
				continue
			}
			l.undoLayer(how, text)
			f.Looked += int64(len(text))
			o := l.walk.firstEvent(l.decoded)
			if o == nil {
				continue
			}
			m := Match{Kind: Event, Body: l.decoded[o.from:o.to], Rebuilt: o.others}
			if o.others {
				m.Body = f.rebuildEvent(l.decoded, o)
			}
			if m.Holds = Holds(m.Body); !m.Holds && (strict || pass == 0 || !isEvent(m.Body) ||
				joinsLines(how, text[:how.sourcePlace(text, l.marks, o.to)])) {
				continue
			}
			f.steps = append(f.steps, how.name)
			f.keepMatch(&view{text: l.decoded, up: v, base: from, end: to, layer: how, marks: l.marks}, o.span, m)
			f.steps = f.steps[:len(f.steps)-1]
			return from + how.sourcePlace(text, l.marks, o.to), true
		}
		if pass == 0 {
			if end, ok = mendTwice(f, v, from, to); ok {
				return end, true
			}
		}
		if strict {
			break
		}
	}
	return 0, false
}

// mendTwice is mendObject for two layers, one within the other. The result counts only if its
// hash holds.
func mendTwice(f *Finder, v *view, from, to int) (end int, ok bool) {
	text, out, l := v.text[from:to], &f.outer, &f.mended
	for _, first := range outer {
		out.undoLayer(first, text)
		if bytes.Equal(out.decoded, text) {
			continue
		}
		for _, second := range others {
			if second.nextEscape(out.decoded) == len(out.decoded) {
				continue
			}
			if f.twice -= int64(len(text)); f.twice < 0 {
				return 0, false
			}
			l.undoLayer(second, out.decoded)
			o := l.walk.firstEvent(l.decoded)
			if o == nil || !Holds(l.decoded[o.from:o.to]) {
				continue
			}
			f.steps = append(f.steps, first.name, second.name)
			up := &view{text: out.decoded, up: v, base: from, end: to, layer: first, marks: out.marks}
			f.keepMatch(&view{text: l.decoded, up: up, end: len(out.decoded), layer: second, marks: l.marks}, o.span,
				Match{Kind: Event, Body: l.decoded[o.from:o.to], Holds: true})
			f.steps = f.steps[:len(f.steps)-2]
			return from + first.sourcePlace(text, out.marks, second.sourcePlace(out.decoded, l.marks, o.to)), true
		}
	}
	return 0, false
}

// firstEvent returns the first object of a text if it is an event, nil otherwise.
func (w *walk) firstEvent(text []byte) *object {
	w.resetTo(text)
	at := w.nextObject(0)
	if at < 0 {
		return nil
	}
	w.readValue(at)
	if w.found = outermostOf(w.found); len(w.found) == 0 || w.found[0].kind != Event {
		return nil
	}
	return &w.found[0]
}

// Holds reports whether a body is an event whose hash is right (SPEC 4.3).
func Holds(body []byte) bool {
	var line event.Line
	return scanEvent(body, &line) && line.Link.Hash() == line.Recorded
}

// isEvent reports whether a body has the form of an event.
func isEvent(body []byte) bool { return scanEvent(body, new(event.Line)) }

func scanEvent(body []byte, line *event.Line) bool {
	if event.Scan(body, line) {
		return true
	}
	canonical, fault := ijson.Canonical(body)
	return fault == nil && event.Scan(canonical, line)
}

// joinsLines reports whether a reading goes over line breaks that are not marked as ones to be
// taken out, or over times in another form. The result counts only if its hash holds: anything
// can have stood there.
func joinsLines(l *layer, text []byte) bool {
	return l != printable && bytes.IndexByte(text, '\n') >= 0 || l == visible || l == misread ||
		l == extendedJSON && bytes.Contains(text, []byte(`"$date"`))
}

// EventStart is how the canonical form of an event begins (SPEC 4.2): "body" is the
// first of its members, and "data" the first of the body's.
const EventStart = `{"body":{"data":`

// nextStart returns where the next object begins whose first member has the first name of an
// event, -1 if there is none.
func nextStart(text []byte) int {
	name := []byte(`"body"`)
	for at := 0; ; at += len(name) {
		i := bytes.Index(text[at:], name)
		if i < 0 {
			return -1
		}
		at += i
		if before := bytes.TrimRight(text[:at], whiteSpace); bytes.HasSuffix(before, []byte("{")) {
			return len(before) - 1
		}
	}
}

// outer are the layers within which another of them can stand.
var outer = []*layer{entities, apostrophes, shell, percents, carets, colours}

// joinedIn searches a part of a view in which literals are joined, or the lines of a proof in
// quoted-printable. It reports whether there was anything in it.
func joinedIn(f *Finder, v *view, from, to int) bool {
	text := v.text[from:to]
	inside := func(l *layer) bool { return slices.Contains(f.steps, l.name) }
	return !inside(joined) && hasJoint(text) && f.peelOne(v, from, to, []*layer{joined}, false) ||
		!inside(printable) && (bytes.Contains(text, []byte("=\n")) || bytes.Contains(text, []byte("=\r\n"))) &&
			HasPath(text) && f.peelOne(v, from, to, []*layer{printable}, true)
}

// searchBroken searches a part of a view with an anchor that belongs to no whole object. It returns
// where the search continues.
func (f *Finder) searchBroken(v *view, from, to, anchorAt int) int {
	if joinedIn(f, v, from, to) {
		return to
	}
	start, failed := -1, f.levels[v.depth].walk.failed
	if i, _ := slices.BinarySearch(failed, anchorAt+1); i > 0 && failed[i-1] >= from {
		start = failed[i-1]
	}
	if i := bytes.LastIndex(v.text[from:anchorAt], []byte(EventStart)); from+i > start && i >= 0 {
		start = from + i
	}
	end := to
	if i := nextStart(v.text[anchorAt:to]); i >= 0 {
		end = anchorAt + i
	}
	if start < 0 {
		later := anchorsIn(f.levels[v.depth].anchors, anchorAt+1, end)
		if i := slices.IndexFunc(later, func(a anchor) bool { return a.layer != nil }); i >= 0 { // begins on its line
			end = max(anchorAt+1, anchorAt+bytes.LastIndexByte(v.text[anchorAt:later[i].at], '\n')+1)
		}
		found := len(f.result.Matches) + len(f.result.Pieces)
		if f.searchHidden(v, from, end); len(f.result.Matches)+len(f.result.Pieces) == found {
			f.keepPiece(v, from, end)
		}
		return end
	}
	last, ok := f.mendObject(v, start, end, false)
	if ok = ok && last > start; !ok && start > from && v.text[start-1] == '\\' {
		f.searchHidden(v, from, end) // an object within an event whose brackets are escaped
		return end
	}
	if start > from {
		f.searchBlind(v, from, start)
	}
	if ok {
		return last
	}
	if end == len(v.text) {
		f.noteOpen(v, start)
	}
	f.keepPiece(v, start, end)
	return end
}
