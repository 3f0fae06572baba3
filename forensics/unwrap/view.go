package unwrap

import (
	"bytes"
	"sort"
)

// view is a text, and how it was written within another.
type view struct {
	text  []byte
	depth int
	up    *view
	base  int    // where in the other it begins
	end   int    // and where it ends
	layer *layer // nil if bytes are written as digits
	marks []mark // none if the parts of the other are not known that it was made of

	verbatim bool // between two marks, the bytes are the same as in the other
}

// surfacePlace returns the place of a byte of a view in the searched text: one at which something
// begins, or after which something ends.
func (v *view) surfacePlace(i int, end bool) int {
	for ; v.up != nil; v = v.up {
		switch {
		case v.layer != nil:
			i = v.base + v.layer.sourcePlace(v.up.text[v.base:v.end], v.marks, i)
		case v.verbatim:
			back := 0
			if end && i > 0 {
				back = 1
			}
			m := lastMark(v.marks, i-back)
			if line := v.up.text[:m.from]; i == m.to {
				i = max(v.base, bytes.LastIndexByte(line, '\n')+1)
			} else {
				i = min(m.from+i-m.to, v.end)
			}
		case len(v.marks) > 0:
			i = lastMark(v.marks, i).from
		case end:
			i = v.end
		default:
			i = v.base
		}
	}
	return i
}

// spanAbove returns where a part of a view is in the text that a layer was undone over.
func (v *view) spanAbove(at span) span {
	text := v.up.text[v.base:v.end]
	last := v.layer.sourcePlace(text, v.marks, at.to-1) // omitted text may follow
	return span{v.base + v.layer.sourcePlace(text, v.marks, at.from), v.base + last + 1}
}

// newestEnd returns where the newest match ends in a part of a view.
func (f *findings) newestEnd(v *view, from, to int) int {
	end := f.result.Matches[len(f.result.Matches)-1].End
	return from + sort.Search(to-from, func(i int) bool { return v.surfacePlace(from+i, true) >= end })
}
