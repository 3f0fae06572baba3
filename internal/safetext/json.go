package safetext

import (
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON returns a JSON document in printable ASCII and line feeds: a string in
// it can hold a control character or a bidi mark, which JSON itself allows to
// stand as it is. Such characters stand in strings only, where an escape means
// the same. It is doc itself where nothing is to be escaped.
func JSON(doc []byte) []byte {
	plain := plainSize(doc)
	if plain == len(doc) {
		return doc
	}
	out := make([]byte, 0, len(doc)+len(doc)/8)
	for {
		out, doc = append(out, doc[:plain]...), doc[plain:]
		if len(doc) == 0 {
			return out
		}
		r, size := utf8.DecodeRune(doc)
		doc = doc[size:]
		if r > 0xffff {
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		} else {
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		plain = plainSize(doc)
	}
}

// plainSize is how many bytes stand before the first that is to be escaped.
func plainSize(doc []byte) int {
	for i, c := range doc {
		if c >= 0x7f {
			return i
		}
	}
	return len(doc)
}
