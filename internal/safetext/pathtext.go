package safetext

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// plainInPath are the characters that stand for themselves in the text of a path, besides the
// percent sign: ASCII, and scripts that are written from left to right. The list is fixed, as
// the version of Unicode is not: a sealed path must be spelled in the same way for ever.
var plainInPath = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x0020, Hi: 0x007e, Stride: 1},
	{Lo: 0x00a1, Hi: 0x00ac, Stride: 1},
	{Lo: 0x00ae, Hi: 0x058f, Stride: 1},
	{Lo: 0x0900, Hi: 0x167f, Stride: 1},
	{Lo: 0x1e00, Hi: 0x1fff, Stride: 1},
	{Lo: 0x3041, Hi: 0x30ff, Stride: 1},
	{Lo: 0x3400, Hi: 0x9fff, Stride: 1},
	{Lo: 0xac00, Hi: 0xd7a3, Stride: 1},
}}

// PathText writes a path as text (SPEC 15.1): a percent sign, every character that is not in a fixed list
// of letters and signs, and every byte that is no part of UTF-8, is written as % and
// two upper-case hexadecimal digits for each byte. Other characters stand for
// themselves.
func PathText(path string) string {
	if isASCII(path) {
		return path
	}
	var b strings.Builder
	for i := 0; i < len(path); {
		r, size := utf8.DecodeRuneInString(path[i:])
		if r == '%' || !unicode.Is(plainInPath, r) { // RuneError is not among them
			for _, octet := range []byte(path[i : i+size]) {
				fmt.Fprintf(&b, "%%%02X", octet)
			}
		} else {
			b.WriteString(path[i : i+size])
		}
		i += size
	}
	return b.String()
}

// isASCII reports whether a path has only characters of ASCII, and only such as stand
// for themselves. Nearly all have.
func isASCII(path string) bool {
	for i := range len(path) {
		if c := path[i]; c < ' ' || c > '~' || c == '%' {
			return false
		}
	}
	return true
}

// ParsePathText reads the text of a path; false if PathText writes no path so.
func ParsePathText(text string) (path string, ok bool) {
	var b []byte
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			b = append(b, text[i])
			continue
		}
		var octet byte
		if len(text) < i+3 {
			return "", false
		}
		if _, err := fmt.Sscanf(text[i+1:i+3], "%02X", &octet); err != nil {
			return "", false
		}
		b, i = append(b, octet), i+2
	}
	path = string(b)
	return path, PathText(path) == text
}
