package unwrap

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// letters are what escapes with one letter stand for, in JSON and elsewhere.
var letters = map[byte]byte{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v', 'a': '\a', 'e': 0x1b}

// unescape reads an escape of JSON, or one of the languages that have more.
func unescape(dst, src []byte) ([]byte, int) {
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
		if n := octetsAt(src); n > 0 {
			return appendOctets(dst, src[:n]), n
		}
	case c >= '0' && c <= '7':
		if v, err := strconv.ParseUint(string(src[1:min(len(src), 4)]), 8, 8); err == nil && len(src) >= 4 {
			return append(dst, byte(v)), 4
		}
	case c == '\n' || c == '\r' && len(src) > 2 && src[2] == '\n':
		return unfold(dst, src) // the line goes on
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

// unicodeEscape reads \uXXXX, two of them for a character beyond 16 bits, \u{X},
// or \UXXXXXXXX. It returns 0 octets if there is none.
func unicodeEscape(src []byte) (rune, int) {
	digits := func(b []byte) (rune, bool) {
		v, err := strconv.ParseUint(string(b), 16, 32)
		return rune(v), err == nil && v <= utf8.MaxRune
	}
	if end := bytes.IndexByte(src[:min(len(src), 12)], '}'); len(src) > 3 && src[2] == '{' && end > 3 {
		r, ok := digits(src[3:end])
		return r, choose(ok, end+1)
	}
	if src[1] == 'U' {
		if len(src) < 10 {
			return 0, 0
		}
		r, ok := digits(src[2:10])
		return r, choose(ok, 10)
	}
	if len(src) < 6 {
		return 0, 0
	}
	r, ok := digits(src[2:6])
	if !ok {
		return 0, 0
	}
	if utf16.IsSurrogate(r) && len(src) >= 12 && src[6] == '\\' && src[7] == 'u' {
		if low, ok := digits(src[8:12]); ok {
			if both := utf16.DecodeRune(r, low); both != utf8.RuneError {
				return both, 12
			}
		}
	}
	return r, 6
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

// isLiteral reports whether octets in hexadecimal digits stand behind a backslash,
// as PostgreSQL writes them, and not one octet: more of them than a digest has.
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

// octetsAt returns the length of the escapes \xHH that make one character: several
// if they are its octets in UTF-8, and else one.
func octetsAt(src []byte) int {
	const size = len(`\x00`)
	one := func(i int) (byte, bool) {
		if len(src) < i+size || src[i] != '\\' || src[i+1] != 'x' {
			return 0, false
		}
		v, err := strconv.ParseUint(string(src[i+2:i+size]), 16, 8)
		return byte(v), err == nil
	}
	var character []byte
	for i := 0; i < utf8.UTFMax*size; i += size {
		c, ok := one(i)
		if !ok {
			break
		}
		if character = append(character, c); utf8.FullRune(character) {
			break
		}
	}
	if utf8.Valid(character) {
		return len(character) * size
	}
	return size
}

// appendOctets appends the octets of escapes \xHH. One that is no UTF-8 by itself
// stands for the character of that number, as in Python.
func appendOctets(dst, src []byte) []byte {
	const size = len(`\x00`)
	start := len(dst)
	for i := 0; i < len(src); i += size {
		v, err := strconv.ParseUint(string(src[i+2:i+size]), 16, 8)
		if err != nil {
			return append(dst, src...)
		}
		dst = append(dst, byte(v))
	}
	if len(src) == size && dst[start] >= utf8.RuneSelf {
		return utf8.AppendRune(dst[:start], rune(dst[start]))
	}
	return dst
}

func choose(ok bool, n int) int {
	if ok {
		return n
	}
	return 0
}

// numberSign makes an escape of octets that HAProxy writes in two hexadecimal
// digits, and rsyslog in three octal ones.
func numberSign(digits, base int) func(dst, src []byte) ([]byte, int) {
	return func(dst, src []byte) ([]byte, int) {
		if len(src) > digits {
			if v, err := strconv.ParseUint(string(src[1:1+digits]), base, 8); err == nil {
				return append(dst, byte(v)), 1 + digits
			}
		}
		return append(dst, '#'), 1
	}
}

// yamlText reads a doubled apostrophe, or a line break, of a YAML string in single
// quotes.
func yamlText(dst, src []byte) ([]byte, int) {
	if src[0] != '\'' {
		return unfold(dst, src)
	}
	if len(src) > 1 && src[1] == '\'' {
		return append(dst, '\''), 2
	}
	return append(dst, '\''), 1
}

// underscored reads a unit of UTF-16 as Office and PowerShell write it: _xHHHH_.
func underscored(dst, src []byte) ([]byte, int) {
	const size = len("_x0000_")
	if len(src) >= size && src[1] == 'x' && src[size-1] == '_' {
		if v, err := strconv.ParseUint(string(src[2:size-1]), 16, 16); err == nil {
			return appendUnit(dst, rune(v)), size
		}
	}
	return append(dst, '_'), 1
}

// unicodeSQL reads an escape of a string U&'…' of SQL, or a doubled apostrophe.
func unicodeSQL(dst, src []byte) ([]byte, int) {
	digits := func(from, to int) (rune, bool) {
		if len(src) < to {
			return 0, false
		}
		v, err := strconv.ParseUint(string(src[from:to]), 16, 32)
		return rune(v), err == nil && v <= utf8.MaxRune
	}
	switch {
	case len(src) > 1 && src[1] == src[0]:
		return append(dst, src[0]), 2
	case len(src) > 1 && src[1] == '+':
		if r, ok := digits(2, 8); ok {
			return utf8.AppendRune(dst, r), 8
		}
	case src[0] == '\\':
		if r, ok := digits(1, 5); ok {
			return appendUnit(dst, r), 5
		}
	}
	return append(dst, src[0]), 1
}
