package ijson

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// skipPlain returns the index of the first byte of b, from i on, that needs
// attention within a string: a quote, a backslash, a control character or a
// byte of a character beyond ASCII. It is len(b) if there is none.
func skipPlain(b []byte, i int) int {
	for ; i+8 <= len(b); i += 8 {
		if special := specialBytes(binary.LittleEndian.Uint64(b[i:])); special != 0 {
			return i + bits.TrailingZeros64(special)>>3
		}
	}
	for i < len(b) && b[i] >= ' ' && b[i] < utf8.RuneSelf && b[i] != '"' && b[i] != '\\' {
		i++
	}
	return i
}

// specialBytes looks at eight bytes at once. In the result, the lowest bit set
// is the top bit of the first byte that is a quote, a backslash, a control
// character or not ASCII; zero means that none is.
//
// Subtracting sets the top bit of an ASCII byte that is too small: exclusive or
// makes zero, and only zero, of the byte looked for, and one is taken from it.
// A byte that borrows from the next one is itself special, so only bytes after
// the first special one can be misjudged.
func specialBytes(w uint64) uint64 {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	quote := (w ^ ones*'"') - ones
	backslash := (w ^ ones*'\\') - ones
	control := w - ones*' '
	return (quote | backslash | control | w) & tops
}

// isNoncharacter reports whether r is one of the 66 code points that Unicode
// sets aside from text (RFC 7493, section 2.1).
func isNoncharacter(r rune) bool {
	return r >= 0xFDD0 && r <= 0xFDEF || r&0xFFFE == 0xFFFE
}

// findNoncharacter returns the index and the code point of the first
// noncharacter, raw or escaped, in a string with its quotes that is otherwise
// well formed; the index is -1 if there is none.
func findNoncharacter(quoted []byte) (int, rune) {
	for i := skipPlain(quoted, 1); i < len(quoted)-1; i = skipPlain(quoted, i) {
		r, n := decodeChar(quoted[i:])
		if isNoncharacter(r) {
			return i, r
		}
		i += n
	}
	return -1, 0
}

// decodeChar decodes the first character of b, the inside of a well-formed string, and returns
// its code point and its length in bytes.
func decodeChar(b []byte) (rune, int) {
	if b[0] != '\\' {
		return utf8.DecodeRune(b)
	}
	switch b[1] {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		r, _ := decodeHex4(b[2:])
		if !utf16.IsSurrogate(r) {
			return r, 6
		}
		low, _ := decodeHex4(b[8:])
		return utf16.DecodeRune(r, low), 12
	}
	return rune(b[1]), 2 // a quote, a backslash or a slash
}

// decodeHex4 decodes the four hex digits that b starts with, and reports
// whether it does.
func decodeHex4(b []byte) (rune, bool) {
	if len(b) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range b[:4] {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

// scanInteger reads the number that starts at b[i]. It returns its value and the index after
// it, or -1 if it is not an integer within ±(2^53-1), written in plain decimal (SPEC 1). The
// bytes after the digits are not read.
func scanInteger(b []byte, i int) (int64, int) {
	start := i
	if i < len(b) && b[i] == '-' {
		i++
	}
	first := i
	var n int64
	for i < len(b) && b[i]-'0' <= 9 && i-first <= len("9007199254740991") {
		n = n*10 + int64(b[i]-'0')
		i++
	}
	switch {
	case i == first, n > maxInteger:
		return 0, -1
	case b[first] == '0' && i-start > 1: // a leading zero, or -0
		return 0, -1
	}
	if first > start {
		n = -n
	}
	return n, i
}
