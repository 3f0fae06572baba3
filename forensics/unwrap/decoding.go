package unwrap

// findings are the results so far.
type findings struct {
	steps  []string
	result Result
	kept   []byte // the bodies that were decoded
}

// level is the state of the search at one depth.
type level struct {
	sight   sight
	walk    walk
	anchors []anchor
	decoding
}

// decoding is a decoded part of a text.
type decoding struct {
	decoded []byte
	marks   []mark
	last    int // where the last mark is in the part
}

// undoLayer undoes a layer over a text.
func (d *decoding) undoLayer(how *layer, text []byte) {
	d.decoded, d.marks = how.decodeLayer(d.decoded[:0], text, d.marks[:0])
}

// beginPart begins with another part.
func (d *decoding) beginPart() { d.decoded, d.marks, d.last = d.decoded[:0], d.marks[:0], -markEvery }

// markAt marks a place of the part; markSome does so unless the last mark is near.
func (d *decoding) markAt(at int) { d.marks, d.last = append(d.marks, mark{at, len(d.decoded)}), at }

func (d *decoding) markSome(at int) {
	if at-d.last >= markEvery/4 {
		d.markAt(at)
	}
}
