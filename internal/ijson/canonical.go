package ijson

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// IsCanonical reports whether b is an acceptable document (see [Parse]) that
// is in its canonical form (RFC 8785), without white space around it. It
// reads b once and allocates nothing.
func IsCanonical(b []byte) bool {
	if len(b) > MaxSize {
		return false
	}
	r := recogniser{doc: b}
	i := r.readValue(0)
	for i >= 0 && r.depth > 0 {
		i = r.readNext(i)
	}
	return i == len(b)
}

// recogniser reads canonical bytes from left to right. Each of its methods accepts the index
// at which it reads, and returns the index after the bytes that it has read, or refused.
type recogniser struct {
	doc   []byte
	depth int // how many of open are in use
	open  [MaxDepth]frame
}

// refused is the result of a method if the bytes are not canonical.
const refused = -1

// frame is an array or object that is not closed yet.
type frame struct {
	last  key  // the name before, to compare with the next
	end   byte // the byte that closes it
	begun bool // not at its first element or member
}

// key is the inside of a quoted name: its place, and whether it is all plain,
// so that its bytes compare as its text does.
type key struct {
	start, end int32
	plain      bool
}

// octetAt returns the byte at index i, and 0 after the end.
func (r *recogniser) octetAt(i int) byte {
	if i < len(r.doc) {
		return r.doc[i]
	}
	return 0
}

// readValue reads a string, number or boolean, or opens an array or object.
func (r *recogniser) readValue(i int) int {
	switch c := r.octetAt(i); c {
	case '"':
		end, _ := r.readText(i + 1)
		return end
	case '{', '[':
		if r.depth == MaxDepth {
			return refused
		}
		r.open[r.depth] = frame{end: c + 2} // in ASCII, } is { + 2 and ] is [ + 2
		r.depth++
		return i + 1
	case 't':
		return r.readLiteral(i, "true")
	case 'f':
		return r.readLiteral(i, "false")
	}
	_, end := scanInteger(r.doc, i)
	return end
}

// readNext reads, within an array or object, up to and including the next value,
// or closes it.
func (r *recogniser) readNext(i int) int {
	in := &r.open[r.depth-1]
	c := r.octetAt(i)
	if c == in.end {
		r.depth--
		return i + 1
	}
	if in.begun {
		if c != ',' {
			return refused
		}
		i++
	}
	if in.end == '}' {
		if i = r.readName(in, i); i < 0 {
			return refused
		}
	}
	in.begun = true
	return r.readValue(i)
}

// readName reads a name and its colon. Names must ascend, so none comes twice.
func (r *recogniser) readName(in *frame, i int) int {
	if r.octetAt(i) != '"' {
		return refused
	}
	end, plain := r.readText(i + 1)
	if end < 0 || r.octetAt(end) != ':' {
		return refused
	}
	name := key{int32(i + 1), int32(end - 1), plain}
	if in.begun && !r.namesAscend(in.last, name) {
		return refused
	}
	in.last = name
	return end + 1
}

// readLiteral reads one given word.
func (r *recogniser) readLiteral(i int, word string) int {
	if bytes.HasPrefix(r.doc[i:], []byte(word)) {
		return i + len(word)
	}
	return refused
}

// readText reads a string from after its first quote, and reports whether it is
// plain: ASCII without escape sequences.
func (r *recogniser) readText(i int) (end int, plain bool) {
	i = skipPlain(r.doc, i)
	if r.octetAt(i) == '"' {
		return i + 1, true
	}
	for i < len(r.doc) {
		switch c := r.doc[i]; {
		case c == '"':
			return i + 1, false
		case c == '\\':
			n := canonicalEscape(r.doc[i:])
			if n == 0 {
				return refused, false
			}
			i += n
		case c < ' ':
			return refused, false
		default:
			char, n := utf8.DecodeRune(r.doc[i:])
			if n == 1 || isNoncharacter(char) {
				return refused, false
			}
			i += n
		}
		i = skipPlain(r.doc, i)
	}
	return refused, false
}

// canonicalEscape returns the length of the escape sequence that b starts with,
// or 0 if RFC 8785, section 3.2.2.2, writes the character in another way.
func canonicalEscape(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		return canonicalHexEscape(b)
	}
	return 0
}

// canonicalHexEscape is canonicalEscape for \u: only for a control character
// that has no short form, and in lower case.
func canonicalHexEscape(b []byte) int {
	const digits = "0123456789abcdef"
	if len(b) < 6 || b[2] != '0' || b[3] != '0' {
		return 0
	}
	low := bytes.IndexByte([]byte(digits), b[5])
	if low < 0 || b[4] != '0' && b[4] != '1' {
		return 0
	}
	switch int(b[4]-'0')<<4 | low {
	case '\b', '\t', '\n', '\f', '\r':
		return 0
	}
	return 6
}

// namesAscend reports whether the name a sorts before the name b: as their UTF-16
// code units compare (RFC 8785, section 3.2.3).
func (r *recogniser) namesAscend(a, b key) bool {
	if a.plain && b.plain {
		return r.ascendPlain(a, b)
	}
	return ascendText(r.doc[a.start:a.end], r.doc[b.start:b.end])
}

// ascendPlain is namesAscend for plain names, where bytes compare as code units do.
// The first eight bytes nearly always decide, and are compared as one number.
func (r *recogniser) ascendPlain(a, b key) bool {
	if int(b.start)+8 <= len(r.doc) { // and a is before b
		x := binary.BigEndian.Uint64(r.doc[a.start:])
		y := binary.BigEndian.Uint64(r.doc[b.start:])
		same := int32(bits.LeadingZeros64(x^y) / 8)
		if shorter := min(a.end-a.start, b.end-b.start); same < shorter {
			if same < 8 {
				return x < y
			}
		} else {
			return a.end-a.start < b.end-b.start
		}
	}
	return bytes.Compare(r.doc[a.start:a.end], r.doc[b.start:b.end]) < 0
}

// ascendText is namesAscend for any names, given without their quotes.
func ascendText(a, b []byte) bool {
	for len(a) > 0 && len(b) > 0 {
		x, n := decodeChar(a)
		y, m := decodeChar(b)
		if x != y {
			return utf16Rank(x) < utf16Rank(y)
		}
		a, b = a[n:], b[m:]
	}
	return len(a) < len(b)
}

// utf16Rank maps code points to numbers that compare as their UTF-16 code units
// do. The units of the code points above U+FFFF start with a surrogate, so
// they sort before U+E000 to U+FFFF, and otherwise the order is their own.
func utf16Rank(r rune) rune {
	if r >= 0xE000 && r <= 0xFFFF {
		return r + utf8.MaxRune
	}
	return r
}
