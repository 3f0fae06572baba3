package ijson

import (
	"slices"
	"unicode/utf8"
)

// Canonical returns the canonical form of the value (RFC 8785): a part of the
// document where that is canonical already, else new bytes.
func (v *Value) Canonical() []byte {
	raw := v.Raw()
	if IsCanonical(raw) {
		return raw
	}
	// No character is longer in the canonical form than in any other.
	w := writer{src: raw, out: make([]byte, 0, len(raw))}
	w.writeValue(0)
	return w.out
}

// writer writes the canonical form of a value that the parser has accepted. It
// reads the value's bytes, and not its tree, which may be kept in part only.
type writer struct {
	src, out []byte
}

// writeValue writes the value that starts at an index, and returns the index after it.
func (w *writer) writeValue(i int) int {
	switch w.src[i] {
	case '"':
		return w.writeText(i)
	case '{':
		return w.writeObject(i + 1)
	case '[':
		return w.writeArray(i + 1)
	}
	end := wordEnd(w.src, i) // an integer in plain decimal, or a literal, has one form
	w.out = append(w.out, w.src[i:end]...)
	return end
}

// writeArray writes the elements of an array and the brackets around them.
func (w *writer) writeArray(i int) int {
	w.out = append(w.out, '[')
	for i = skipSpace(w.src, i); w.src[i] != ']'; i = skipToToken(w.src, w.writeValue(i)) {
		w.writeComma('[')
	}
	w.out = append(w.out, ']')
	return i + 1
}

// writeObject writes the members of an object, in the order of their names, and the
// brackets around them.
func (w *writer) writeObject(i int) int {
	var members []int32 // where the name of each starts
	for i = skipSpace(w.src, i); w.src[i] != '}'; {
		members = append(members, int32(i))
		i = skipToToken(w.src, skipValue(w.src, w.valueOf(i)))
	}
	slices.SortFunc(members, func(a, b int32) int {
		if a != b && ascendText(nameAt(w.src, a), nameAt(w.src, b)) {
			return -1
		}
		return 1
	})
	w.out = append(w.out, '{')
	for _, name := range members {
		w.writeComma('{')
		w.writeText(int(name))
		w.out = append(w.out, ':')
		w.writeValue(w.valueOf(int(name)))
	}
	w.out = append(w.out, '}')
	return i + 1
}

// valueOf returns where the value of a member starts whose name does at an index.
func (w *writer) valueOf(name int) int {
	return skipToToken(w.src, name+len(quotedAt(w.src, int32(name))))
}

// nameAt returns the inside of the string that starts at an index.
func nameAt(src []byte, i int32) []byte {
	quoted := quotedAt(src, i)
	return quoted[1 : len(quoted)-1]
}

// writeComma writes a comma unless a bracket was just opened.
func (w *writer) writeComma(open byte) {
	if w.out[len(w.out)-1] != open {
		w.out = append(w.out, ',')
	}
}

// writeText writes a string as RFC 8785, section 3.2.2.2, has it: with escape sequences
// for quotes, backslashes and control characters only.
func (w *writer) writeText(i int) int {
	quoted := quotedAt(w.src, int32(i))
	end := len(quoted) - 1
	w.out = append(w.out, '"')
	for at := 1; at < end; {
		plain := skipPlain(quoted[:end], at)
		w.out = append(w.out, quoted[at:plain]...)
		if at = plain; at < end {
			r, n := decodeChar(quoted[at:])
			w.writeChar(r)
			at += n
		}
	}
	w.out = append(w.out, '"')
	return i + len(quoted)
}

// writeChar writes one character of a string.
func (w *writer) writeChar(r rune) {
	const short, hex = "btn\x00fr", "0123456789abcdef" // of the characters from U+0008 on
	switch {
	case r == '"' || r == '\\':
		w.out = append(w.out, '\\', byte(r))
	case r >= '\b' && r <= '\r' && r != '\v':
		w.out = append(w.out, '\\', short[r-'\b'])
	case r < ' ':
		w.out = append(w.out, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
	default:
		w.out = utf8.AppendRune(w.out, r)
	}
}

// skipValue returns the index after the value that starts at an index.
func skipValue(src []byte, i int) int {
	for depth := 0; ; {
		switch src[i] {
		case '"':
			i += len(quotedAt(src, int32(i)))
		case '{', '[':
			depth++
			i++
		case '}', ']':
			depth--
			i++
		case ' ', '\t', '\n', '\r', ',', ':':
			i++
		default:
			i = wordEnd(src, i)
		}
		if depth == 0 {
			return i
		}
	}
}
