package unwrap

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// isDecimal finds escapes that can be in decimal digits.
var isDecimal = safetext.Pattern(`\\[1-9][0-9]`)

// decimalText reads an escape of characters in decimal digits: their numbers, as Haskell shows
// them, or the bytes of one in UTF-8, as Lua and OCaml do. Other escapes are from JSON.
func decimalText(dst, src []byte) ([]byte, int) {
	start, n, first, size := len(dst), 0, 0, 0
	for n < len(src) && src[n] == '\\' && !utf8.FullRune(dst[start:]) {
		end := n + 1
		for end < min(len(src), n+8) && src[end] >= '0' && src[end] <= '9' {
			end++
		}
		v, err := strconv.Atoi(string(src[n+1 : end]))
		if err != nil {
			break
		}
		if n == 0 {
			first, size = v, end
		}
		if v > 0xff {
			break
		}
		dst, n = append(dst, byte(v)), end
	}
	switch {
	case size == 0:
		return unescapeJSON(dst, src)
	case n > 0 && utf8.Valid(dst[start:]):
		return dst, n
	}
	return utf8.AppendRune(dst[:start], rune(first)), size
}

// otherLayer returns the layer that a text can be written in that seems to be written in
// another one, nil if there is none.
func otherLayer(how *layer, text []byte) *layer {
	switch {
	case how == backslash && isDecimal().Match(text):
		return decimals
	case how == form:
		return percent // JavaScript's escape leaves plus signs as they are
	case how == entities && (bytes.Contains(text, []byte("=\n")) || bytes.Contains(text, []byte("=\r\n"))):
		return printable
	}
	return nil
}

// peelEither is undoLayer for a layer, or for its alternative if that gives more events whose
// hashes hold.
func peelEither(f *Finder, v *view, from, to int, how *layer) bool {
	other := otherLayer(how, v.text[from:to])
	if other == nil {
		return f.undoLayer(v, from, to, how)
	}
	before, kept := f.result, len(f.kept)
	found := f.undoLayer(v, from, to, how)
	all := len(f.result.Matches) - len(before.Matches)
	right := f.countTrue(len(before.Matches))
	if found && right == all {
		return true
	}
	f.dropResults(before, kept)
	if f.undoLayer(v, from, to, other) && f.countTrue(len(before.Matches)) > right {
		return true
	}
	f.dropResults(before, kept)
	return f.undoLayer(v, from, to, how)
}

// countTrue counts the matches from a place on that are no events whose hashes do not hold.
func (f *findings) countTrue(from int) (n int) {
	for _, m := range f.result.Matches[from:] {
		if !isFalse(m) {
			n++
		}
	}
	return n
}

// afterMark makes an escape of a mark that means the byte behind it: in cmd, in
// PowerShell, where $([char]N) is the character of a number, and in TeamCity, where digits
// behind a prefix are a unit of UTF-16.
func afterMark(prefix string) func(dst, src []byte) ([]byte, int) {
	const char = "$([char]"
	return func(dst, src []byte) ([]byte, int) {
		switch end := bytes.IndexByte(src[:min(len(src), 16)], ')'); {
		case src[0] == '$' && end > len(char) && bytes.HasPrefix(src, []byte(char)):
			if v, ok := digitsAt(src, len(char), end-len(char), 10); ok {
				return appendUnit(dst, v), end + 1
			}
		case len(src) < 2 || src[0] == '$' || src[0] == '%' && src[1] != '%':
		case prefix != "" && bytes.HasPrefix(src[1:], []byte(prefix)):
			if v, ok := digitsAt(src, 1+len(prefix), 4, 16); ok {
				return appendUnit(dst, v), len(prefix) + 5
			}
		default:
			return append(dst, src[1]), 2
		}
		return append(dst, src[0]), 1
	}
}

// visibleOctet reads a byte as cat -v shows it, with the highest bit: M-x, or M-^X.
func visibleOctet(dst, src []byte) ([]byte, int) {
	switch {
	case len(src) < 3 || src[1] != '-':
		return append(dst, src[0]), 1
	case src[2] == '^' && len(src) > 3:
		return append(dst, 0x80|src[3]^0x40), 4
	}
	return append(dst, 0x80|src[2]), 3
}

// misreadOctets reads the bytes of a character in UTF-8 that a program took for characters of
// Windows-1252, or of Latin-1, and wrote as such: in UTF-8, or as the units \u00HH of JSON.
func misreadOctets(dst, src []byte) ([]byte, int) {
	var read [utf8.UTFMax]byte
	for n, at := 0, 0; n < len(read); {
		c, size := misreadOctet(src[at:])
		if size == 0 {
			break
		}
		read[n], n, at = c, n+1, at+size
		if n > 1 && utf8.Valid(read[:n]) {
			return append(dst, read[:n]...), at
		}
	}
	return append(dst, src[0]), 1
}

// hasMisread reports whether a text has a character that misreadOctets reads.
func hasMisread(text []byte) bool {
	const first = 0xc3 // of the characters that the first bytes in UTF-8 were taken for
	for i := bytes.IndexByte(text, first); i >= 0; {
		if _, n := misreadOctets(nil, text[i:]); n > 1 {
			return true
		}
		next := bytes.IndexByte(text[i+1:], first)
		if next < 0 {
			return false
		}
		i += 1 + next
	}
	return false
}

// misreadOctet returns the byte beyond ASCII that was read as the first character of a text,
// and the length of that character; 0 if it is none.
func misreadOctet(src []byte) (octet byte, size int) {
	if bytes.HasPrefix(src, []byte(`\u00`)) {
		if c, ok := octetAt(src, 4, 2, 16); ok && c >= utf8.RuneSelf {
			return c, len(`\u0000`)
		}
		return 0, 0
	}
	r, size := utf8.DecodeRune(src)
	c, ok := charmap.Windows1252.EncodeRune(r)
	switch {
	case r < utf8.RuneSelf:
		return 0, 0
	case ok:
		return c, size
	case r <= 0xff:
		return byte(r), size
	}
	return 0, 0
}

// joinLiterals leaves out where a literal ends and the next one begins that is joined to it,
// or where an encoded word of a mail ends and continues.
func joinLiterals(dst, src []byte) ([]byte, int) {
	n := jointSize(src)
	if src[0] == '?' {
		n = len(encodedWords().Find(src[:min(len(src), 64)]))
	}
	if n > 0 {
		return dst, n
	}
	return append(dst, src[0]), 1
}

var encodedWords = safetext.Pattern(`^\?=\s+=\?[A-Za-z0-9-]+\?[Bb]\?`)

// inJoint are the bytes between two literals that are joined, besides letters.
const inJoint = " \t\r+.&|)_"

// jointSize returns the length of two quotes and the line break, and the operator, between
// them; 0 if a text does not begin with these.
func jointSize(src []byte) int {
	const longest, call = 128, "TO_CLOB("
	broken := false
	for i := 1; i < min(len(src), longest); i++ {
		switch c := src[i]; {
		case c == '\n':
			broken = true
		case broken && (c == '"' || c == '\''):
			return i + 1
		case bytes.HasPrefix(src[i:], []byte(call)):
			i += len(call) - 1
		case bytes.IndexByte([]byte(inJoint), c) < 0:
			return 0
		}
	}
	return 0
}

// hasJoint reports whether literals are joined in a text.
func hasJoint(text []byte) bool {
	for from := 0; ; {
		i := bytes.IndexByte(text[from:], '\n')
		if i < 0 {
			return false
		}
		quote := len(bytes.TrimRight(text[from:from+i], inJoint)) + from - 1
		if quote >= from && (text[quote] == '"' || text[quote] == '\'') && jointSize(text[quote:]) > 0 {
			return true
		}
		from += i + 1
	}
}
