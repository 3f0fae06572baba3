package unwrap

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// letters are the meanings of escapes with one letter, in JSON and elsewhere.
var letters = map[byte]byte{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v', 'a': '\a', 'e': 0x1b}

// unescapeJSON reads an escape of JSON, or one of the languages that have more.
func unescapeJSON(dst, src []byte) ([]byte, int) {
	if len(src) < 2 {
		return append(dst, src...), len(src)
	}
	c := src[1]
	switch {
	case c == '"' || c == '\\' || c == '/':
		return append(dst, c), 2
	case c == 'u' || c == 'U':
		if r, n := unicodeEscape(src); n > 0 {
			return utf8.AppendRune(dst, r), n
		}
	case c == 'x':
		if isLiteral(src) {
			return append(dst, '\\', 'x'), 2
		}
		if dst, n := appendOctets(dst, src, `\x`); n > 0 {
			return dst, n
		}
		if end := bytes.IndexByte(src[:min(len(src), 12)], '}'); end > 3 && src[2] == '{' { // Perl
			if r, ok := digitsAt(src, 3, end-3, 16); ok {
				return utf8.AppendRune(dst, r), end + 1
			}
		}
	case c >= '0' && c <= '7':
		if v, ok := octetAt(src, 1, 3, 8); ok {
			return append(dst, v), 4
		}
	case c == '\n' || c == '\r' && len(src) > 2 && src[2] == '\n':
		return unfoldBreak(dst, src) // the line continues
	case c == '_' && isHardSpace(src):
		return utf8.AppendRune(dst, 0xa0), 2
	case c == 'L' || c == 'P': // YAML has them for line and paragraph separators
		return utf8.AppendRune(dst, '\u2028'+rune(c-'L')/4), 2
	}
	if letter, ok := letters[c]; ok {
		return append(dst, letter), 2
	}
	return append(dst, c), 2
}

// AppendUnescaped appends a text without its escapes of JSON. Other bytes are kept as they are.
func AppendUnescaped(dst, text []byte) []byte {
	dst, _ = backslash.decodeLayer(dst, text, nil)
	return dst
}

// digitsAt returns the character of a number in so many digits at a place of a text.
func digitsAt(b []byte, from, digits, base int) (rune, bool) {
	if len(b) < from+digits {
		return 0, false
	}
	v, err := strconv.ParseUint(string(b[from:from+digits]), base, 32)
	return rune(v), err == nil && v <= utf8.MaxRune
}

// octetAt is digitsAt for a byte.
func octetAt(b []byte, from, digits, base int) (byte, bool) {
	v, ok := digitsAt(b, from, digits, base)
	return byte(v), ok && v <= 0xff
}

// unicodeEscape reads \uXXXX, two of them for a character beyond 16 bits, \u{X},
// or \UXXXXXXXX. It returns 0 bytes if there is none.
func unicodeEscape(src []byte) (rune, int) {
	from, size, end := 2, 4, 6
	if bracket := bytes.IndexByte(src[:min(len(src), 12)], '}'); len(src) > 3 && src[2] == '{' && bracket > 3 {
		from, size, end = 3, bracket-3, bracket+1
	} else if src[1] == 'U' {
		size, end = 8, 10
	}
	r, ok := digitsAt(src, from, size, 16)
	if !ok {
		return 0, 0
	}
	if end == 6 && utf16.IsSurrogate(r) && bytes.HasPrefix(src[end:], []byte(`\u`)) {
		if low, ok := digitsAt(src, 8, 4, 16); ok {
			if both := utf16.DecodeRune(r, low); both != utf8.RuneError {
				return both, 12
			}
		}
	}
	return r, end
}

// isHardSpace reports whether an escaped underscore is YAML's for a hard space. In
// Markdown an underscore has other letters or digits of a name behind it.
func isHardSpace(src []byte) bool {
	next := byte(' ')
	if rest := bytes.TrimPrefix(src[2:], []byte(`\`)); len(rest) > 0 {
		next = rest[0]
	}
	return bytes.IndexByte([]byte(` "\\`), next) >= 0
}

// isLiteral reports whether bytes in hexadecimal digits stand behind a backslash,
// as PostgreSQL writes them, and not one byte: more of them than a digest has.
func isLiteral(b []byte) bool {
	const most = 80
	if len(b) < 2+most {
		return false
	}
	for _, c := range b[2 : 2+most] {
		if !isHexDigit(c) {
			return false
		}
	}
	return true
}

// appendOctets appends the bytes of escapes in two digits that make one character: several if
// they are its bytes in UTF-8. One that is no UTF-8 by itself is the character of that number,
// as in Python. It returns their length, 0 if there is none.
func appendOctets(dst, src []byte, mark string) ([]byte, int) {
	start, n, size := len(dst), 0, len(mark)+2
	for n < utf8.UTFMax*size && bytes.HasPrefix(src[n:], []byte(mark)) && !utf8.FullRune(dst[start:]) {
		c, ok := octetAt(src, n+len(mark), 2, 16)
		if !ok {
			break
		}
		dst, n = append(dst, c), n+size
	}
	if n == 0 || utf8.Valid(dst[start:]) {
		return dst, n
	}
	return utf8.AppendRune(dst[:start], rune(dst[start])), size
}

// octetEscape makes an escape of one byte in so many digits behind a sign, such as percent
// codes, or escapes of HAProxy and rsyslog.
func octetEscape(digits, base int) func(dst, src []byte) ([]byte, int) {
	return func(dst, src []byte) ([]byte, int) {
		if v, ok := octetAt(src, 1, digits, base); ok {
			return append(dst, v), 1 + digits
		}
		return append(dst, src[0]), 1
	}
}

// yamlText reads a doubled apostrophe, or a line break, of a YAML string in single
// quotes.
func yamlText(dst, src []byte) ([]byte, int) {
	if src[0] != '\'' {
		return unfoldBreak(dst, src)
	}
	return apostrophes.escape(dst, src)
}

// unescapeUnderscore reads a unit of UTF-16 as Office and PowerShell write it: _xHHHH_.
func unescapeUnderscore(dst, src []byte) ([]byte, int) {
	const size = len("_x0000_")
	if len(src) >= size && src[1] == 'x' && src[size-1] == '_' {
		if v, ok := digitsAt(src, 2, 4, 16); ok {
			return appendUnit(dst, v), size
		}
	}
	return append(dst, '_'), 1
}

// unicodeSQL reads an escape of a string U&'…' of SQL, or a doubled apostrophe.
func unicodeSQL(dst, src []byte) ([]byte, int) {
	if len(src) > 1 && src[1] == src[0] {
		return append(dst, src[0]), 2
	}
	if r, ok := digitsAt(src, 2, 6, 16); ok && src[1] == '+' {
		return utf8.AppendRune(dst, r), 8
	}
	if r, ok := digitsAt(src, 1, 4, 16); ok && src[0] == '\\' {
		return appendUnit(dst, r), 5
	}
	return append(dst, src[0]), 1
}
