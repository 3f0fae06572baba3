package safetext

import (
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON returns a JSON document in printable ASCII and line feeds: a string in
// it can hold a control character or a bidi mark, which JSON itself allows to
// stand as it is. Such characters stand in strings only, where an escape means
// the same.
func JSON(doc []byte) []byte {
	out := make([]byte, 0, len(doc))
	for len(doc) > 0 {
		r, size := utf8.DecodeRune(doc)
		doc = doc[size:]
		switch {
		case r < 0x7f:
			out = append(out, byte(r))
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}
