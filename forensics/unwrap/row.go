package unwrap

import (
	"bytes"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// row is an event whose members stand beside each other in a text, in whatever a store puts around
// values: in cells of a table, behind their names, as arguments. The body is an object, and the other
// values are known by their forms (SPEC 1.5).
type row struct {
	text       []byte
	part       span // up to where another body can stand
	body       span
	digests    []span
	before     int // so many of them stand before the body
	signatures []span
}

// rowOrder is how the values of a row stand that give its hash. A row of the same order is of the
// same table.
type rowOrder struct {
	digests [3]int // the places of the hash, the previous hash and the skip hash
	between string // what stands between the values behind the body
}

var rowOrders = [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {2, 0, 1}, {1, 2, 0}, {2, 1, 0}}

// widestRow is how far from a body the other values can stand.
const widestRow = 4 << 10

// searchRow keeps the event whose body is an object of a view, if its other members stand beside it
// there, or around the text that the view was decoded out of. It returns which part of the view that is.
func (f *Finder) searchRow(v *view, o *object) (done span, ok bool) {
	body, at := v.text[o.from:o.to], o.span
	if broken := bytes.HasSuffix(bytes.TrimRight(v.text[:o.from], whiteSpace), []byte(`"body":`)); broken ||
		!bytes.Contains(body, []byte(event.Protocol)) {
		return span{}, false
	}
	for u := v; ; u = u.up {
		r := rowAround(u.text, at)
		if m, in := f.eventOf(&r, body); m.Body != nil {
			f.keepMatch(u, in, m)
			if u == v {
				return in, true
			}
			return o.span, true
		}
		if u.up == nil || u.layer == nil {
			if r.part.to == len(u.text) {
				f.noteOpen(u, r.part.from)
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
	r := row{text: text, part: span{body.from - len(before), body.to + len(after)}, body: body}
	for _, side := range []span{{r.part.from, body.from}, {body.to, r.part.to}} {
		r.before = len(r.digests)
		for _, at := range rowValues().FindAllIndex(text[side.from:side.to], -1) {
			value := span{side.from + at[0], side.from + at[1]}
			switch {
			case value.size() == digest && len(bytes.Trim(r.of(value), "0123456789abcdef")) == 0:
				r.digests = append(r.digests, value)
			case value.size() == signature:
				r.signatures = append(r.signatures, value)
			}
		}
	}
	return r
}

func (r *row) of(s span) []byte { return r.text[s.from:s.to] }

// placed are the values of a row, with its digests as they follow each other, and where they stand.
type placed struct {
	values [eventNames][]byte
	in     span
	before int // so many digests stand before the body
}

// eventOf returns the event in a row, and where it stands. The hash tells which digest is which. If it
// holds for no order, the row is an event that was altered if the values stand as in a row whose hash held.
func (f *Finder) eventOf(r *row, body []byte) (m Match, in span) {
	var some []placed
	for before := range len(rowOrders[0]) + 1 {
		if p, ok := f.valuesOf(r, before); ok {
			p.values[0] = body
			some = append(some, p)
		}
	}
	if len(some) == 0 {
		return m, in
	}
	m, in = f.firstHolding(r, some)
	if ways := others; !m.Holds && isAmbiguous(body) {
		for ; len(ways) > 0 && !m.Holds; ways = ways[1:] {
			if ways[0].nextEscape(body) < len(body) {
				l := &f.mended.decoding
				l.undoLayer(ways[0], body)
				f.Looked += int64(len(body))
				for i := range some {
					some[i].values[0] = l.decoded
				}
				m, in = f.firstHolding(r, some)
			}
		}
	}
	if p := &some[0]; !m.Holds && p.before == 0 && f.row.between != "" && f.row.between == r.between(p) {
		p.values[0] = body
		return Match{Kind: Event, Body: writeEvent(f.row.sorted(p.values), `"`), Rebuilt: true}, p.in
	}
	return m, in
}

// firstHolding returns the first event whose hash holds.
func (f *Finder) firstHolding(r *row, some []placed) (m Match, in span) {
	for i := range some {
		if p := &some[i]; f.isOrdered(r, p) {
			return Match{Kind: Event, Body: writeEvent(f.row.sorted(p.values), `"`), Rebuilt: true, Holds: true}, p.in
		}
	}
	return m, in
}

// valuesOf returns the values of a row in which so many digests stand before the body.
func (f *Finder) valuesOf(r *row, before int) (p placed, ok bool) {
	first := r.before - before
	if first < 0 || first+len(rowOrders[0]) > len(r.digests) {
		return p, false
	}
	digests := r.digests[first : first+len(rowOrders[0])]
	in := span{min(digests[0].from, r.body.from), max(digests[2].to, r.body.to)}
	var within, behind []span
	earlier := false
	for _, s := range r.signatures {
		switch {
		case s.to <= in.from:
			earlier = true
		case s.from >= in.to:
			behind = append(behind, s)
		default:
			within = append(within, s)
		}
	}
	if len(within) == 0 && (!earlier || f.row.between != "") { // an earlier one can be of this row
		within = behind[:min(len(behind), 1)]
	}
	if len(within) != 1 {
		return p, false
	}
	in.to = max(in.to, within[0].to)
	key := r.keyIn(in)
	values := [eventNames][]byte{nil, r.of(digests[0]), key, r.of(digests[1]), r.of(within[0]), r.of(digests[2])}
	return placed{values, in, before}, key != nil
}

// isOrdered finds the order of the digests in which the hash holds. It reports whether there is one.
func (f *Finder) isOrdered(r *row, p *placed) bool {
	var line event.Line
	if !scanEvent(writeEvent(p.values, `"`), &line) {
		return false
	}
	link, digests := line.Link, [3]chain.Hash{line.Recorded, line.Link.Previous, line.Link.Skip}
	for i := range len(rowOrders) + 1 {
		order := f.row.digests // first, as two of the digests can be the same
		if i > 0 {
			order = rowOrders[i-1]
		}
		link.Previous, link.Skip = digests[order[1]], digests[order[2]]
		if link.Hash() == digests[order[0]] {
			f.row = rowOrder{order, r.between(p)}
			return true
		}
	}
	return false
}

// sorted puts the digests of a row into their places.
func (o *rowOrder) sorted(v [eventNames][]byte) [eventNames][]byte {
	at := [3]int{1, 3, 5}
	return [eventNames][]byte{v[0], v[at[o.digests[0]]], v[2], v[at[o.digests[1]]], v[4], v[at[o.digests[2]]]}
}

// between returns what stands between the values of a row behind its body.
func (r *row) between(p *placed) string {
	size := func(value []byte) []byte { return []byte{byte(len(value))} }
	text := rowValues().ReplaceAllFunc(r.text[r.body.to:p.in.to], size)
	return string(append(bytes.ReplaceAll(text, p.values[2], nil), byte(p.before)))
}

// rowWords finds the names of members, and other words.
var (
	rowWords = safetext.Pattern(`(?i)\b(?:body|hash|key_?id|previous_?hash|skip_?hash|signature)\b|` +
		`[a-z0-9](?:[a-z0-9._:@/-]*[a-z0-9])?`)
	rowNames = safetext.Pattern(`(?i)^(?:body|hash|previous_?hash|skip_?hash|signature)$|.{64}`)
	keyName  = safetext.Pattern(`(?i)^key_?id$`)
)

// keyIn returns the id of the key in a part of a row: the only word that is no name and no other value,
// and does not stand there twice, as what a store writes around values does. If its name stands there,
// it is behind that. It returns nil if there are several.
func (r *row) keyIn(in span) (key []byte) {
	text := bytes.Join([][]byte{r.text[in.from:r.body.from], r.text[r.body.to:in.to]}, []byte("\n"))
	times, named, several := map[string]int{}, false, false
	words := rowWords().FindAllIndex(text, -1)
	for _, at := range words {
		times[string(text[at[0]:at[1]])]++
	}
	for _, at := range words {
		w, behind := text[at[0]:at[1]], bytes.TrimLeft(text[at[1]:], "\"'")
		isKey, isName := keyName().Match(w), len(behind) > 0 && (behind[0] == ':' || behind[0] == '=')
		switch {
		case isKey && !named:
			named, several, key = true, false, nil
		case isKey || rowNames().Match(w):
			if named && key != nil {
				return key
			}
		case times[string(w)] == 1 && !isName:
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

// breaksOff reports whether a text behind rows ends within a line, and has values of a row behind a
// line feed.
func breaksOff(text []byte) bool {
	_, lines, _ := bytes.Cut(text, []byte("\n"))
	return len(lines) > 0 && lines[len(lines)-1] != '\n' && rowValues().Match(lines)
}
