package unwrap

import "bytes"

// around is how far before an event the path of its bundle is looked for, which has a
// few dozen links, and how far the bytes are read that stand next to it.
const (
	around = 1 << 16
	next   = 256
)

// An event that a path discloses is the member "event" of a link. Its neighbours are
// links that begin with the digest of a body in its place (SPEC 6.1).
var (
	inLink    = [][]byte{[]byte(`[{"event":`), []byte(`,{"event":`)}
	ofPath    = [][]byte{[]byte(`"audit_path":`), []byte(`{"body_sha256":`)}
	afterPath = [][]byte{[]byte(`"manifest":{`), []byte(`"witness_receipts":`)}
	linkNext  = []byte(`},{"body_sha256":`)
)

// inPack is the text before an event that a pack discloses (SPEC 22.1), and before no other.
var inPack = []byte(`{"disclosed":`)

// isDisclosed reports whether an object in a text is an event that a pack or the path of a
// bundle discloses. Nothing is looked for within a whole bundle. So this one is broken.
func isDisclosed(v *view, at span) bool {
	for ; ; v = v.up {
		before := withoutSpace(v.text[max(0, at.from-next):at.from])
		if bytes.HasSuffix(before, inPack) {
			return true
		}
		if lastOf(before, inLink, true) >= 0 {
			before = withoutSpace(v.text[max(0, at.from-around):at.from])
			path := lastOf(before, ofPath, false)
			return path >= 0 && lastOf(before[path:], afterPath, false) < 0 ||
				bytes.HasPrefix(withoutSpace(v.text[at.to:min(at.to+next, len(v.text))]), linkNext)
		}
		if v.up == nil || v.layer == nil {
			return false
		}
		at = v.spanAbove(at)
	}
}

// InOneBundle reports whether two events that bundles disclose are in the same bundle, by the
// bytes between them.
func InOneBundle(between []byte) bool {
	if len(between) > around {
		return false
	}
	return lastOf(withoutSpace(between), append([][]byte{[]byte(`"approvals":`)}, afterPath...), false) < 0
}

// HasPath reports whether a part of a text has links of the path of a bundle.
func HasPath(part []byte) bool { return lastOf(withoutSpace(part), ofPath, false) >= 0 }

// lastOf returns where the last of some texts begins, -1 if there is none. If atEnd is
// set, only one that the text ends with counts.
func lastOf(text []byte, of [][]byte, atEnd bool) int {
	last := -1
	for _, one := range of {
		if i := bytes.LastIndex(text, one); i > last && (!atEnd || i+len(one) == len(text)) {
			last = i
		}
	}
	return last
}

// withoutSpace returns a text without white space, and without the characters that mail and
// quoting put into it.
func withoutSpace(text []byte) []byte {
	return bytes.Map(func(r rune) rune {
		switch r {
		case ' ', '\t', '\r', '\n', '\\', '=', '>':
			return -1
		}
		return r
	}, text)
}
