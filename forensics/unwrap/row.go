package unwrap

import (
	"bytes"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// row is an event whose members follow each other in a text, in whatever a store puts around
// values: in cells of a table, behind their names, as arguments. The body is an object, and the other
// values are known by their forms (SPEC 1.5).
type row struct {
	text       []byte
	around     span // up to where another body can be
	body       span
	digests    []span
	before     int // so many of them come before the body
	signatures []span
}

// rowOrder is the order of the values of a row whose hash holds. A row of the same order is of the
// same table.
type rowOrder struct {
	digests [3]int // the places of the hash, the previous hash and the skip hash
	between string // the text between the values behind the body
}

var rowOrders = [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {2, 0, 1}, {1, 2, 0}, {2, 1, 0}}

// widestRow is how far from a body the other values can be.
const widestRow = 4 << 10

// searchRow keeps the event whose body is an object of a view, if its other members are around it
// there, or around the text that the view was decoded out of. It returns which part of the view that is.
func searchRow(f *Finder, v *view, o *object) (done span, ok bool) {
	body, at := v.text[o.from:o.to], o.span
	if broken := bytes.HasSuffix(bytes.TrimRight(v.text[:o.from], whiteSpace), []byte(`"body":`)); broken ||
		!bytes.Contains(body, []byte(event.Protocol)) {
		return span{}, false
	}
	for u := v; ; u = u.up {
		r := rowAround(u.text, at)
		if m, in := eventOfRow(f, &r, body); m.Body != nil {
			f.keepMatch(u, in, m)
			if u == v {
				return in, true
			}
			return o.span, true
		}
		if u.up == nil || u.layer == nil {
			if r.around.to == len(u.text) {
				f.noteOpen(u, r.around.from)
			}
			return span{}, false
		}
		at = u.spanAbove(at)
	}
}

var rowValues = safetext.Pattern(`[A-Za-z0-9_-]{64,}`)

// rowAround finds the values around a body.
func rowAround(text []byte, body span) row {
	const digest, signature = 2 * len(chain.Hash{}), (event.SignatureSize*8 + 5) / 6
	before, after := text[max(0, body.from-widestRow):body.from], text[body.to:min(len(text), body.to+widestRow)]
	before = before[bytes.LastIndex(before, []byte(event.Protocol))+1:]
	if i := bytes.Index(after, []byte(event.Protocol)); i >= 0 {
		after = after[:i]
	}
	r := row{text: text, around: span{body.from - len(before), body.to + len(after)}, body: body}
	for _, side := range []span{{r.around.from, body.from}, {body.to, r.around.to}} {
		r.before = len(r.digests)
		for _, at := range rowValues().FindAllIndex(text[side.from:side.to], -1) {
			value := span{side.from + at[0], side.from + at[1]}
			switch {
			case value.size() == digest && len(bytes.Trim(r.part(value), "0123456789abcdef")) == 0:
				r.digests = append(r.digests, value)
			case value.size() == signature:
				r.signatures = append(r.signatures, value)
			}
		}
	}
	return r
}

// part returns a part of the text.
func (r *row) part(s span) []byte { return r.text[s.from:s.to] }

// rowValue has the values of a row, with its digests as they follow each other, and where they are.
type rowValue struct {
	values [eventNames][]byte
	in     span
	before int // so many digests come before the body
}

// eventOfRow returns the event in a row, and where it is. Its hash shows which digest is which. If it holds
// for no order, the row is an altered event if the same is between its values as in a row whose hash held.
func eventOfRow(f *Finder, r *row, body []byte) (m Match, in span) {
	var some []rowValue
	for before := range len(rowOrders[0]) + 1 {
		if v, ok := valuesOfRow(f, r, before); ok {
			some = append(some, v)
		}
	}
	for i := -1; i < len(others) && len(some) > 0; i++ {
		written := body
		if i >= 0 {
			if !isAmbiguous(body) || others[i].nextEscape(body) == len(body) {
				continue
			}
			f.mended.undoLayer(others[i], body)
			written, f.Looked = f.mended.decoded, f.Looked+int64(len(body))
		}
		for k := range some {
			if v := &some[k]; findOrder(f, r, v, written) {
				return Match{Kind: Event, Body: f.row.writeRow(v), Rebuilt: true, Holds: true}, v.in
			}
		}
	}
	if len(some) > 0 && some[0].before == 0 && f.row.between != "" && f.row.between == r.textBetween(&some[0]) {
		some[0].values[0] = body
		return Match{Kind: Event, Body: f.row.writeRow(&some[0]), Rebuilt: true}, some[0].in
	}
	return m, in
}

// valuesOfRow returns the values of a row in which so many digests come before the body.
func valuesOfRow(f *Finder, r *row, before int) (v rowValue, ok bool) {
	first := r.before - before
	if first < 0 || first+len(rowOrders[0]) > len(r.digests) {
		return v, false
	}
	d := r.digests[first : first+len(rowOrders[0])]
	in := span{min(d[0].from, r.body.from), max(d[2].to, r.body.to)}
	i := slices.IndexFunc(r.signatures, func(s span) bool { return s.from >= in.from })
	if i < 0 || i+1 < len(r.signatures) && r.signatures[i+1].from < in.to {
		return v, false
	}
	signature := r.signatures[i]
	if i > 0 && signature.from >= in.to && f.row.between == "" {
		return v, false // the one before the row can be its own
	}
	in.to = max(in.to, signature.to)
	key := r.keyIn(in)
	v.values = [eventNames][]byte{nil, r.part(d[0]), key, r.part(d[1]), r.part(signature), r.part(d[2])}
	v.in, v.before = in, before
	return v, key != nil
}

// findOrder finds the order of the digests in which the hash holds. It reports whether there is one.
func findOrder(f *Finder, r *row, v *rowValue, body []byte) bool {
	var line event.Line
	if v.values[0] = body; !scanEvent(writeEvent(v.values, `"`), &line) {
		return false
	}
	link, digests := line.Link, [3]chain.Hash{line.Recorded, line.Link.Previous, line.Link.Skip}
	for _, order := range slices.Concat([][3]int{f.row.digests}, rowOrders) { // two of the digests can be the same
		link.Previous, link.Skip = digests[order[1]], digests[order[2]]
		if link.Hash() == digests[order[0]] {
			f.row = rowOrder{order, r.textBetween(v)}
			return true
		}
	}
	return false
}

// writeRow writes the values of a row, with the digests in their places.
func (o *rowOrder) writeRow(v *rowValue) []byte {
	sorted := v.values
	for i, at := range o.digests {
		sorted[1+2*i] = v.values[1+2*at]
	}
	return writeEvent(sorted, `"`)
}

// textBetween returns the text between the values of a row behind its body.
func (r *row) textBetween(v *rowValue) string {
	size := func(value []byte) []byte { return []byte{byte(len(value))} }
	text := rowValues().ReplaceAllFunc(r.text[r.body.to:v.in.to], size)
	return string(append(bytes.ReplaceAll(text, v.values[2], nil), byte(v.before)))
}

// rowWords finds words: names, of the key and of other members, and values as long as digests are.
var rowWords = safetext.Pattern(`(?i)\b(key_?id)\b|\b(body|hash|previous_?hash|skip_?hash|signature)\b|` +
	`([a-z0-9_-]{64,})|[a-z0-9](?:[a-z0-9._:@/-]*[a-z0-9])?`)

// keyIn returns the id of the key in a part of a row: the only word that is no name and no other value,
// and is not there twice, as what a store writes around values is. If its name is there, the id is
// behind that. It returns nil if there are several.
func (r *row) keyIn(in span) (key []byte) {
	text := bytes.Join([][]byte{r.text[in.from:r.body.from], r.text[r.body.to:in.to]}, []byte("\n"))
	times, named, several := map[string]int{}, false, false
	words := rowWords().FindAllSubmatchIndex(text, -1)
	for _, at := range words {
		times[string(text[at[0]:at[1]])]++
	}
	for _, at := range words {
		w, behind := text[at[0]:at[1]], bytes.TrimLeft(text[at[1]:], "\"'")
		switch {
		case at[2] >= 0 && !named:
			named, several, key = true, false, nil
		case at[2] >= 0 || at[4] >= 0 || at[6] >= 0:
			if named && key != nil {
				return key
			}
		case times[string(w)] == 1 && !bytes.HasPrefix(behind, []byte(":")) && !bytes.HasPrefix(behind, []byte("=")):
			several, key = several || key != nil, w
		}
	}
	if several {
		return nil
	}
	return key
}

// isOfNames reports whether a text has nothing of an event but the names of its members, as the head
// of a table.
func isOfNames(text []byte) bool {
	return hasNames(text) && !rowValues().Match(text) && !bytes.Contains(text, []byte(event.Protocol))
}
