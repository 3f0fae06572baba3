package read

import (
	"bytes"
	"unicode/utf8"
)

// isPrintable reports whether octets are text, in UTF-8 or an older encoding.
func isPrintable(b []byte) bool {
	odd := 0
	for _, c := range b {
		if c == 0 {
			return false
		}
		if c < ' ' && bytes.IndexByte([]byte("\t\n\r\f\b\x1b\x1e"), c) < 0 {
			odd++
		}
	}
	return odd*64 <= len(b) && (utf8.Valid(b) || odd == 0)
}
