package unwrap

import (
	"bytes"
	"slices"
)

// searchGap searches the bytes between the plain objects of a text, without the margins of their lines
// if there is more in them then.
func (f *Finder) searchGap(v *view, from, to int) {
	if !inMargins(f, v, from, to) {
		gapAsItIs(f, v, from, to)
	}
}

// gapAsItIs is gap without regard to margins.
func gapAsItIs(f *Finder, v *view, from, to int) {
	l := &f.levels[v.depth]
	for from < to {
		anchors := anchorsIn(l.anchors, from, to)
		if len(anchors) == 0 {
			f.searchBlind(v, from, to)
			return
		}
		a := anchors[0]
		if a.layer == nil {
			from = f.searchBroken(v, from, to, a.at)
			continue
		}
		if a.layer == percent || a.layer == form { // none with white space
			start := from + bytes.LastIndexAny(v.text[from:a.at], whiteSpace) + 1
			end := to
			if i := bytes.IndexAny(v.text[a.at:to], whiteSpace); i >= 0 {
				end = a.at + i
			}
			start, end = formValue(v.text, start, a.at, end)
			f.searchBlind(v, from, start)
			peelEither(f, v, start, end, a.layer)
			from = end
			continue
		}
		if line, ok := f.searchLine(v, from, to, a); ok {
			from = line
			continue
		}
		end := to
		if i := slices.IndexFunc(anchors, func(b anchor) bool { return b.layer != a.layer }); i >= 0 {
			end = anchors[i].at
		}
		from = f.searchGroup(v, from, end, to, a)
	}
}

// formValue returns where the value of a form or query begins and ends in which a place is,
// within bounds: between two ampersands that a name and an equals sign follow.
func formValue(text []byte, from, at, to int) (start, end int) {
	if i := bytes.LastIndexByte(text[from:at], '&'); i >= 0 && namesValue(text[from+i+1:at]) {
		from += i + 1
	}
	for end = at; end < to; end++ {
		i := bytes.IndexByte(text[end:to], '&')
		if i < 0 {
			break
		}
		if end += i; namesValue(text[end+1 : to]) {
			return from, end
		}
	}
	return from, to
}

// namesValue reports whether a text begins with the name of a value and an equals sign.
func namesValue(b []byte) bool {
	const longest = 128
	i := bytes.IndexAny(b[:min(len(b), longest)], "=&\"{}, ")
	return i > 0 && b[i] == '='
}

// searchLine searches the line of an anchor, as most events are on one line, and others can be
// written in another way. It returns where the search continues if there was something on the
// line.
func (f *Finder) searchLine(v *view, from, to int, a anchor) (end int, ok bool) {
	start, end := from+bytes.LastIndexByte(v.text[from:a.at], '\n')+1, to
	if i := bytes.IndexByte(v.text[a.at:to], '\n'); i >= 0 {
		end = a.at + i + 1
	}
	anchors := anchorsIn(f.levels[v.depth].anchors, start, end)
	if start == from && end == to || slices.ContainsFunc(anchors, func(b anchor) bool { return b.layer != a.layer }) {
		return 0, false
	}
	pieces := len(f.result.Pieces)
	if !peelEither(f, v, start, end, a.layer) {
		f.result.Pieces = f.result.Pieces[:pieces]
		return 0, false
	}
	if f.row.between != "" { // its other values can be on the next lines
		end = max(end, f.newestEnd(v, start, to))
	}
	f.searchBlind(v, from, start)
	return end, true
}

// searchGroup searches a part of a view in which all anchors are of one layer. A text after end, if
// any, is of another, and begins before its anchor. It returns where the search continues.
func (f *Finder) searchGroup(v *view, from, end, to int, a anchor) int {
	pieces := len(f.result.Pieces)
	found := peelEither(f, v, from, end, a.layer)
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

// undoLayer undoes a layer over a part of a text and searches the result. It reports whether
// there was anything in it.
func (f *Finder) undoLayer(v *view, from, to int, how *layer) bool {
	if v.depth == MaxLevels || f.Looked > f.budget {
		f.result.Deep = true
		f.keepPiece(v, from, to)
		return false
	}
	l := &f.levels[v.depth+1]
	l.undoLayer(how, v.text[from:to])
	if bytes.Equal(l.decoded, v.text[from:to]) { // a byte of an escape, and no escape
		f.keepPiece(v, from, to)
		return false
	}
	return f.searchIn(&view{text: l.decoded, depth: v.depth + 1, up: v, base: from, end: to, layer: how, marks: l.marks},
		how.name)
}

// searchIn searches a text that was decoded in one step. It reports whether there
// was anything in it.
func (f *Finder) searchIn(v *view, step string) bool {
	f.steps = append(f.steps, step)
	before := len(f.result.Matches)
	f.searchView(v)
	f.steps = f.steps[:len(f.steps)-1]
	return len(f.result.Matches) > before
}
