package unwrap

import (
	"bytes"
	"html"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// entityText reads a character reference of XML or HTML.
func entityText(dst, src []byte) ([]byte, int) {
	const longest = 12
	end := bytes.IndexByte(src[:min(len(src), longest)], ';')
	if end < 2 {
		return append(dst, '&'), 1
	}
	return append(dst, html.UnescapeString(string(src[:end+1]))...), end + 1
}

// markupText reads a character reference of XML or HTML, or passes a tag. Of these, the one
// for spaces in a document of OpenDocument is decoded as spaces.
func markupText(dst, src []byte) ([]byte, int) {
	const longest = 2 << 10
	if src[0] == '&' {
		return entityText(dst, src)
	}
	end := bytes.IndexByte(src[:min(len(src), longest)], '>')
	if end < 2 || bytes.ContainsAny(src[:end], "&{") || !(src[1] == '/' || src[1]|0x20 >= 'a' && src[1]|0x20 <= 'z') {
		return append(dst, '<'), 1
	}
	if tag := src[:end]; bytes.HasPrefix(tag, []byte("<text:s")) {
		count := 1
		if m := spaceCount().FindSubmatch(tag); m != nil {
			count, _ = strconv.Atoi(string(m[1])) // three digits at most
		}
		dst = append(dst, bytes.Repeat([]byte(" "), count)...)
	}
	return dst, end + 1
}

var spaceCount = safetext.Pattern(`text:c="([0-9]{1,3})"`)

// formOctet reads a byte of a form, or its plus sign.
func formOctet(dst, src []byte) ([]byte, int) {
	if src[0] == '+' {
		return append(dst, ' '), 1
	}
	return percentText(dst, src)
}

// percentText reads a percent code: a byte of a character in UTF-8, or one in Latin-1, or
// behind the letter u a unit of UTF-16, as JavaScript's escape writes them.
func percentText(dst, src []byte) ([]byte, int) {
	if unit, ok := digitsAt(src, 2, 4, 16); ok && src[1] == 'u' {
		return appendUnit(dst, unit), len("%u0000")
	}
	if out, n := appendOctets(dst, src, "%"); n > 0 {
		return out, n
	}
	return append(dst, src[0]), 1
}

// printableOctet reads a byte of quoted-printable, or a soft line break.
func printableOctet(dst, src []byte) ([]byte, int) {
	switch {
	case bytes.HasPrefix(src, []byte("=\r\n")):
		return dst, 3
	case bytes.HasPrefix(src, []byte("=\n")):
		return dst, 2
	}
	return numberSigns.escape(dst, src)
}

// unfoldBreak reads a line break within a folded text, as YAML writes it: with the
// spaces around it, it is one space, and behind a backslash nothing.
func unfoldBreak(dst, src []byte) ([]byte, int) {
	i, space := 0, true
	if src[0] == '\\' {
		i, space = 1, false
		if len(src) < 2 || src[1] != '\n' && src[1] != '\r' {
			return append(dst, '\\'), 1
		}
	}
	for i < len(src) && (src[i] == '\r' || src[i] == '\n' || src[i] == ' ' || src[i] == '\t') {
		i++
	}
	if !space {
		if i < len(src) && src[i] == '\\' && i+1 < len(src) && src[i+1] == ' ' {
			i++ // a space that begins a line
		}
		return dst, i
	}
	return append(bytes.TrimRight(dst, " "), ' '), i
}

// removeBreak removes a line break, and the spaces and the mark that the next line begins with.
func removeBreak(dst, src []byte) ([]byte, int) {
	i := 0
	for i < len(src) && (src[i] == '\r' || src[i] == '\n') {
		i++
	}
	for i < len(src) && (src[i] == ' ' || src[i] == '\t') {
		i++
	}
	return dst, i + len(wrapMark().Find(src[i:min(len(src), i+16)]))
}

// wrapMark is how editors, printers and typesetters mark a line that they broke, on the next one.
var wrapMark = safetext.Pattern(`^[↪↳⤷»→]+ ?`)

// withoutColour passes a control sequence of a terminal.
func withoutColour(dst, src []byte) ([]byte, int) {
	if len(src) < 2 || src[1] != '[' {
		return dst, 1
	}
	for i := 2; i < len(src) && i < 32; i++ {
		if src[i] >= 0x40 && src[i] <= 0x7e {
			return dst, i + 1
		}
	}
	return dst, 1
}

// richText reads an escape of RTF: \uN? in decimal, \'hh in Windows-1252, and
// escaped brackets.
func richText(dst, src []byte) ([]byte, int) {
	switch {
	case len(src) > 1 && src[1] == '\'':
		if v, ok := digitsAt(src, 2, 2, 16); ok {
			return utf8.AppendRune(dst, v), 4
		}
	case len(src) > 3 && src[1] == 'u':
		i := 2
		for i < len(src) && i < 9 && (src[i] == '-' || src[i] >= '0' && src[i] <= '9') {
			i++
		}
		if v, err := strconv.ParseInt(string(src[2:i]), 10, 32); err == nil && i < len(src) {
			return appendUnit(dst, rune(uint16(v))), i + 1
		}
	case len(src) >= 2 && bytes.IndexByte([]byte(`{}\`), src[1]) >= 0:
		return append(dst, src[1]), 2
	}
	return append(dst, src[0]), 1
}

// appendUnit appends a unit of UTF-16. The second of a pair completes the first,
// which was appended as it is.
func appendUnit(dst []byte, unit rune) []byte {
	const size = 3
	if n := len(dst); utf16.IsSurrogate(unit) && n >= size {
		if high, ok := halfOf(dst[n-size:]); ok {
			if both := utf16.DecodeRune(high, unit); both != utf8.RuneError {
				return utf8.AppendRune(dst[:n-size], both)
			}
		}
	}
	if utf16.IsSurrogate(unit) {
		return append(dst, 0xe0|byte(unit>>12), 0x80|byte(unit>>6)&0x3f, 0x80|byte(unit)&0x3f)
	}
	return utf8.AppendRune(dst, unit)
}

// halfOf reads half a pair that appendUnit appended.
func halfOf(b []byte) (rune, bool) {
	unit := rune(b[0]&0xf)<<12 | rune(b[1]&0x3f)<<6 | rune(b[2]&0x3f)
	return unit, b[0]&0xf0 == 0xe0 && utf16.IsSurrogate(unit)
}
