package read

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// slots is how many texts within texts are decoded at once: a body in an
// export in a Kafka message in a dump.
const slots = 4

// unquoteString returns the text of a JSON string literal, byte for byte: bytes that are not UTF-8
// stay as they are. The text is a part of the literal if nothing in it is escaped, and
// otherwise valid until the slot is used again. whole is false if something has no bytes: a
// surrogate without its pair, which becomes U+FFFD. ok is false if the literal is not a
// string.
func (r *reader) unquoteString(slot int, literal []byte) (text []byte, whole, ok bool) {
	if len(literal) < 2 || literal[0] != '"' || literal[len(literal)-1] != '"' || slot >= slots {
		return nil, false, false
	}
	inside := literal[1 : len(literal)-1]
	if bytes.IndexByte(inside, '\\') < 0 {
		return inside, true, true
	}
	r.texts[slot], whole = appendUnquoted(r.texts[slot][:0], inside)
	return r.texts[slot], whole, true
}

// appendUnquoted appends the value of the inside of a JSON string.
func appendUnquoted(dst, s []byte) (_ []byte, whole bool) {
	whole = true
	for {
		n := bytes.IndexByte(s, '\\')
		if n < 0 || n+1 >= len(s) {
			return append(dst, s...), whole
		}
		dst = append(dst, s[:n]...)
		c := s[n+1]
		s = s[n+2:]
		if c != 'u' {
			dst = append(dst, unescapedByte(c))
			continue
		}
		var unit rune
		unit, s = hexRune(s)
		if utf16.IsSurrogate(unit) {
			unit, s = surrogatePair(unit, s)
			whole = whole && unit != utf8.RuneError
		}
		dst = utf8.AppendRune(dst, unit)
	}
}

func unescapedByte(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

// hexRune reads four hex digits.
func hexRune(s []byte) (rune, []byte) {
	if len(s) < 4 {
		return utf8.RuneError, nil
	}
	var unit rune
	for _, c := range s[:4] {
		switch {
		case c <= '9':
			unit = unit<<4 | rune(c-'0')
		default:
			unit = unit<<4 | rune(c|0x20-'a'+10)
		}
	}
	return unit, s[4:]
}

// surrogatePair reads the second half of a surrogate pair.
func surrogatePair(high rune, s []byte) (rune, []byte) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return utf8.RuneError, s
	}
	low, rest := hexRune(s[2:])
	if r := utf16.DecodeRune(high, low); r != utf8.RuneError {
		return r, rest
	}
	return utf8.RuneError, s
}

// isPart reports whether a string is too short for an event, and holds no JSON: it can be one of
// several literals that have an event together.
func isPart(text []byte) bool {
	const leastEvent = 512
	return len(text) > 2 && len(text) < leastEvent && bytes.IndexByte([]byte("{[\\ "), text[1]) < 0
}
