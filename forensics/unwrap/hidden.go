package unwrap

import (
	"bytes"
	"encoding/binary"
	"slices"
	"unicode/utf16"
)

// letterLayers are the layers in which the letters of an anchor can be escaped, or
// a line break can stand within it.
var letterLayers = []*layer{colours, backslash, printable, unbroken, entities, percent, joined}

// searchHidden searches a part of a view for an event whose letters are escaped
// themselves, and notes pieces of one.
func (f *Finder) searchHidden(v *view, from, to int) {
	text := v.text[from:to]
	traces := f.levels[v.depth].sight.hasTraces(text)
	if traces {
		if f.searchUTF16(v, from, to) || f.searchTyped(v, from, to) {
			return
		}
		some := slices.DeleteFunc(slices.Clone(letterLayers), func(l *layer) bool {
			return l.nextEscape(text) == len(text) || l == joined && !bytes.Contains(text, []byte("?="))
		})
		direct := slices.DeleteFunc(slices.Clone(some), func(l *layer) bool { return !f.showsAnchor(v, text, l) })
		if f.peelOne(v, from, to, direct, true) || f.peelOne(v, from, to, append(direct, some...), false) {
			return
		}
	}
	begun := startOf(text, to == len(v.text))
	if begun.name >= 0 && f.isWhole(text, begun.name) {
		begun = start{-1, -1} // an object of another service with such members
	}
	if to == len(v.text) && begun.line >= 0 {
		f.noteOpen(v, from+begun.line)
	}
	if at := openYAML(text); at >= 0 && to == len(v.text) {
		f.noteOpen(v, from+at)
	}
	if begun.line >= 0 || traces {
		f.keepPiece(v, from+max(begun.line, 0), to)
	}
}

// peelOne undoes the first of some layers over a part of a text that has something below
// it; if strict is set, events whose hashes hold.
func (f *Finder) peelOne(v *view, from, to int, some []*layer, strict bool) bool {
	for _, l := range some {
		before, kept := f.result, len(f.kept)
		if f.undoLayer(v, from, to, l) && !(strict && slices.ContainsFunc(f.result.Matches[len(before.Matches):], isFalse)) {
			return true
		}
		f.dropResults(before, kept)
	}
	return false
}

// isFalse reports whether a match is an event whose hash does not hold.
func isFalse(m Match) bool { return m.Kind == Event && !m.Holds && !Holds(m.Body) }

// dropResults goes back to earlier results.
func (f *findings) dropResults(before Result, kept int) {
	before.Matches, before.Pieces = f.result.Matches[:len(before.Matches)], f.result.Pieces[:len(before.Pieces)]
	before.Deep = before.Deep || f.result.Deep
	f.result, f.kept = before, f.kept[:kept]
}

// showsAnchor reports whether a text of a view has an anchor below a layer.
func (f *Finder) showsAnchor(v *view, text []byte, how *layer) bool {
	if v.depth == MaxLevels || f.Looked > f.budget {
		return false
	}
	l := &f.levels[v.depth+1]
	l.undoLayer(how, text)
	l.anchors = appendAnchors(l.anchors[:0], l.decoded)
	f.Looked += int64(len(text))
	return slices.ContainsFunc(l.anchors, func(a anchor) bool { return isProtocol(l.decoded[a.at:]) })
}

// searchUTF16 searches a part of a view as UTF-16 in the order of bytes in which a name
// is there. It reports whether there was anything in it.
func (f *Finder) searchUTF16(v *view, from, to int) bool {
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		name := make([]byte, 2*len(anchorName))
		for i, c := range anchorName {
			order.PutUint16(name[2*i:], uint16(c))
		}
		at := bytes.Index(v.text[from:to], name)
		if at < 0 || v.depth == MaxLevels {
			continue
		}
		var units []uint16
		for i := from + at%2; i+1 < to; i += 2 {
			units = append(units, order.Uint16(v.text[i:]))
		}
		l := &f.levels[v.depth+1]
		l.decoded = append(l.decoded[:0], string(utf16.Decode(units))...)
		return f.searchIn(&view{text: l.decoded, depth: v.depth + 1, up: v, base: from, end: to}, "utf-16")
	}
	return false
}

// start is where something begins: its line, and the name of its first member. Both
// are -1 if nothing does.
type start struct{ line, name int }

// startOf returns where an event begins if only its beginning is there. ends means that
// nothing follows the text.
func startOf(text []byte, ends bool) start {
	for at := 0; ; {
		i := bytes.Index(text[at:], []byte("body"))
		if i < 0 {
			return start{-1, -1}
		}
		at += i + len("body")
		rest := text[at:min(len(text), at+farthest)]
		end := bytes.Index(rest, []byte("data"))
		if end < 0 && !ends {
			continue
		}
		if end < 0 {
			end = len(rest)
		}
		if opensEvent(rest[:end]) {
			return start{max(0, bytes.LastIndexByte(text[:at], '\n')+1), at - len("body")}
		}
	}
}

// isWhole reports whether the object ends whose first member has its name at a
// place, however it is written. Then it is known to be no event.
func (f *Finder) isWhole(text []byte, name int) bool {
	const most = 64 << 10
	l := &f.mended
	text = text[max(0, name-farthest):min(len(text), name+most)]
	for range MaxLevels {
		name := bytes.Index(text, []byte("body"))
		if name < 0 {
			return false
		}
		if i := bytes.LastIndexByte(text[:name], '{'); i >= 0 && skipSpace(text, i+1) == name-1 && text[name-1] == '"' {
			l.walk.resetTo(text)
			_, whole := l.walk.readValue(i)
			return whole
		}
		how := quoteLayer(text[max(0, name-farthest):name])
		if how == nil {
			return false
		}
		f.Looked += int64(len(text))
		text, _ = how.decodeLayer(nil, text, nil)
	}
	return false
}

// quoteLayer returns the layer in which the quote is written that a text ends with.
func quoteLayer(text []byte) *layer {
	for _, q := range []struct {
		end string
		how *layer
	}{{`""`, quotes}, {`\"`, backslash}, {`x22`, backslash}, {`u0022`, backslash}, {`;`, entities}, {`%22`, percent}} {
		if bytes.HasSuffix(text, []byte(q.end)) {
			return q.how
		}
	}
	return nil
}

// opensEvent reports whether a text can be between the names of the first two members of an event,
// in any spelling: it has a bracket, quotes and no words.
func opensEvent(b []byte) bool {
	letters, bracket := 0, false
	for i, c := range b {
		switch {
		case c == ',' || c == '}' || c == '(' || c == ')' || c == '.':
			return false
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			if letters++; letters > len("quot") {
				return false
			}
		case c == '{':
			bracket = true
			letters = 0
		default:
			letters = 0
		}
		if i > 1 && (c == 'b' || c == 'B') && b[i-1] == '7' { // an escaped bracket
			bracket = true
		}
	}
	return bracket && len(b) >= len(`":{"`)
}
