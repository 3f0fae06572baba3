package unwrap

import (
	"bytes"
	"slices"
)

// anchor is where the value of "protocol" is in a text. Few ways of writing change its
// letters, and the bytes between the name and the value show how the text around is written.
type anchor struct {
	at    int
	layer *layer // nil if the text is plain JSON
}

// anchorStart begins every value of "protocol" (SPEC 1.5).
var anchorStart, anchorName = []byte("svc."), []byte("protocol")

// farthest is how far a value can be from its name: two quotes and a colon, each
// behind the backslashes of eight levels.
const farthest = 1 << 10

// appendAnchors appends the anchors of a text.
func appendAnchors(anchors []anchor, text []byte) []anchor {
	for at := 0; ; at += len(anchorStart) {
		i := bytes.Index(text[at:], anchorStart)
		if i < 0 {
			return anchors
		}
		at += i
		if l, ok := layerAt(text, at); ok {
			anchors = append(anchors, anchor{at, l})
		}
	}
}

// layerAt returns how the text around a value of "protocol" is written.
func layerAt(text []byte, at int) (*layer, bool) {
	if bytes.HasSuffix(text[:at], []byte(`"protocol":"`)) {
		if before := at - len(`"protocol":"`) - 1; before < 0 || text[before] != '"' {
			return nil, true
		}
	}
	if !isProtocol(text[at:]) {
		return nil, false
	}
	from := max(0, at-farthest)
	i := bytes.LastIndex(text[from:at], anchorName)
	if i < 0 {
		return nil, false
	}
	behind := text[from+i+len(anchorName) : at]
	colon := bytes.TrimRight(behind, "\"'")
	if isBare(text[:from+i]) && len(colon) < len(behind) && string(bytes.TrimSpace(colon)) == ":" {
		return literal, true
	}
	l, ok := layerOf(behind)
	if l == percent && bytes.IndexByte(tokenAt(text, at), '+') >= 0 {
		l = form
	}
	return l, ok
}

// isBare reports whether a name that is behind a text has no quote before it.
func isBare(before []byte) bool {
	return len(before) > 0 && bytes.IndexByte([]byte(whiteSpace+"{,/"), before[len(before)-1]) >= 0
}

const whiteSpace = " \t\r\n"

// tokenAt returns the text around a place up to the next white space, or not much
// further.
func tokenAt(text []byte, at int) []byte {
	const most = 4 << 10
	start := max(0, at-most)
	start += bytes.LastIndexAny(text[start:at], whiteSpace) + 1
	end := min(len(text), at+most)
	if i := bytes.IndexAny(text[at:end], whiteSpace); i >= 0 {
		end = at + i
	}
	return text[start:end]
}

// isProtocol reports whether a text begins as the values of "protocol" do.
func isProtocol(b []byte) bool {
	const longest = 40
	i := len(anchorStart)
	for i < len(b) && i < longest && (b[i] >= 'a' && b[i] <= 'z' || b[i] == '-') {
		i++
	}
	return bytes.HasPrefix(b[i:], []byte(".v1"))
}

// layerOf recognises by the bytes between the name and the value how both are written; ok is
// false if they do not belong together. Of several layers it is the outermost: the one whose
// escapes were written last.
func layerOf(between []byte) (l *layer, ok bool) {
	has := func(s string) bool { return bytes.Contains(between, []byte(s)) }
	switch {
	case has("\x1b"):
		return colours, true
	case len(between) < 3 || bytes.ContainsAny(between, "{}[],"):
		return nil, false
	case has("^"):
		return carets, true
	case has("`"):
		return backticks, true
	case has("#22"):
		return numberSigns, true
	case has("&") || has("<") && has(">"):
		return entities, true
	case has("%"):
		return percent, true
	case has("=>") && (has(`"`) || has("'")):
		return arrows, true
	case has(`=22`) || has("=\n") || has("=\r\n"):
		return printable, true
	case has(`""`) && !(has("\n") && has(`\`)): // not where literals are joined
		return quotes, true
	case has(`\`):
		return backslash, true
	case has(`"`) && has(":"):
		return nil, true
	case has(`'`) && has(":"):
		return literal, true
	}
	return nil, false
}

// anchorsIn returns the anchors in a part of the text.
func anchorsIn(anchors []anchor, from, to int) []anchor {
	order := func(a anchor, at int) int { return a.at - at }
	first, _ := slices.BinarySearchFunc(anchors, from, order)
	last, _ := slices.BinarySearchFunc(anchors, to, order)
	return anchors[first:max(first, last)]
}
