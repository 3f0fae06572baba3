package unwrap

import (
	"bytes"
	"encoding/hex"
	"regexp"
	"slices"
	"strconv"
)

// list is a way to write octets one by one.
type list struct {
	name   string
	some   []string       // of these a text has one
	begin  *regexp.Regexp // what an event, or a line, begins as
	decode func(dst, src []byte) (out []byte, n int)
}

// lists are the ways that are known. The first have to be found before the text that
// stands beside them.
var lists = []list{
	{"a hexadecimal dump", []string{"\n00000010", "\n0000010"},
		regexp.MustCompile(`(?m)^[0-9a-fA-F]{7,16}:? +[0-9a-fA-F]{2} ?[0-9a-fA-F]{2} [0-9a-fA-F]`), hexDump},
	{"decimal octets", []string{"123,34,98", "123, 34, 98", "123 34 98"},
		regexp.MustCompile(`123[, ] ?34[, ] ?98[, ] ?111[, ] ?100[, ] ?121[, ]`), decimals},
	{"hexadecimal octets", []string{"7b:22:62", "7B:22:62", "7b 22 62", "7B 22 62"},
		regexp.MustCompile(`(?i)7b[: ]22[: ]62[: ]6f[: ]64[: ]79[: ]`), hexPairs},
}

// allListed is listed until there are no more.
func (f *Finder) allListed(v *view, from, to int, some []list) int {
	for {
		at := f.listed(v, from, to, some)
		if at == from {
			return at
		}
		from = at
	}
}

// listed searches a part of a view for octets that are written one by one. It
// returns where the search goes on, or from if there are none.
func (f *Finder) listed(v *view, from, to int, some []list) int {
	if to-from < leastRun || v.depth == MaxLevels {
		return from
	}
	for _, l := range some {
		if !slices.ContainsFunc(l.some, func(s string) bool { return bytes.Contains(v.text[from:to], []byte(s)) }) {
			continue
		}
		at := l.begin.FindIndex(v.text[from:to])
		if at == nil {
			continue
		}
		start := from + at[0]
		next := &f.levels[v.depth+1]
		var n int
		next.decoded, n = l.decode(next.decoded[:0], v.text[start:to])
		f.Looked += int64(n)
		if f.within(&view{text: next.decoded, depth: v.depth + 1, up: v, base: start, end: start + n}, l.name) {
			return start + n
		}
	}
	return from
}

// decimals reads numbers with commas or spaces between them.
func decimals(dst, src []byte) ([]byte, int) {
	i := 0
	for i < len(src) {
		end := i
		for end < len(src) && src[end] >= '0' && src[end] <= '9' {
			end++
		}
		v, err := strconv.ParseUint(string(src[i:min(end, i+4)]), 10, 8)
		if err != nil {
			break
		}
		dst = append(dst, byte(v))
		i = end
		for i < len(src) && (src[i] == ',' || src[i] == ' ' || src[i] == '\n' || src[i] == '\r') {
			i++
		}
	}
	return dst, i
}

// hexPairs reads pairs of hexadecimal digits with one octet between them.
func hexPairs(dst, src []byte) ([]byte, int) {
	const every = 3
	i, between := 0, src[2]
	for ; i+1 < len(src); i += every {
		v, err := strconv.ParseUint(string(src[i:i+2]), 16, 8)
		if err != nil {
			break
		}
		dst = append(dst, byte(v))
		if i+2 >= len(src) || src[i+2] != between {
			return dst, i + 2
		}
	}
	return dst, min(i, len(src))
}

// hexDump reads lines as xxd and hexdump write them: an offset, groups of digits,
// and the same octets as text, behind two spaces or a bar.
func hexDump(dst, src []byte) ([]byte, int) {
	const longest = 256
	at := 0
	for line := range bytes.Lines(src) {
		offset := bytes.IndexAny(line[:min(len(line), 20)], ": ")
		if offset < 7 || len(line) > longest {
			break
		}
		digits, behind := line[offset+1:], "|"
		if line[offset] == ':' {
			behind = "  "
		}
		digits, _, _ = bytes.Cut(digits, []byte(behind))
		digits = bytes.Join(bytes.Fields(digits), nil)
		n := len(dst)
		dst = append(dst, make([]byte, len(digits)/2)...)
		if _, err := hex.Decode(dst[n:], digits[:len(digits)&^1]); err != nil || len(digits) == 0 {
			return dst[:n], at
		}
		at += len(line)
	}
	return dst, at
}

// typed is a text of JSON in which each value stands in an object that names its
// type, as DynamoDB writes them. It is decoded as a whole.
var typedBegin = regexp.MustCompile(`"protocol"\s*:\s*\{\s*"S"\s*:\s*"svc\.`)

// types are the objects that [typed] undoes, by how they begin.
var types = regexp.MustCompile(`^\{\s*"(S|N|BOOL|L|M)"\s*:\s*`)

// typed searches a part of a view as JSON with a type around each value. It reports
// whether there was anything in it.
func (f *Finder) typed(v *view, from, to int) bool {
	if v.depth == MaxLevels || !typedBegin.Match(v.text[from:to]) {
		return false
	}
	next := &f.levels[v.depth+1]
	next.decoded = untyped(next.decoded[:0], v.text[from:to])
	f.Looked += int64(to - from)
	return f.within(&view{text: next.decoded, depth: v.depth + 1, up: v, base: from, end: to}, "typed JSON")
}

// untyped appends JSON without the objects that name types.
func untyped(dst, src []byte) []byte {
	var dropped []bool
	w := walk{text: src}
	for i := 0; i < len(src); {
		switch c := src[i]; c {
		case '{':
			m := types.FindSubmatchIndex(src[i:min(len(src), i+64)])
			dropped = append(dropped, m != nil)
			if m == nil {
				dst = append(dst, c)
				i++
				continue
			}
			number := src[i+m[2]] == 'N'
			i += m[1]
			if end := w.stringEndAt(i); number && end > 0 {
				dst = append(dst, src[i+1:end-1]...)
				i = end
			}
		case '}':
			if n := len(dropped); n == 0 || !dropped[n-1] {
				dst = append(dst, c)
			}
			dropped = dropped[:max(0, len(dropped)-1)]
			i++
		case '"':
			end := w.stringEndAt(i)
			if end < 0 {
				return append(dst, src[i:]...)
			}
			dst = append(dst, src[i:end]...)
			i = end
		default:
			dst = append(dst, c)
			i++
		}
	}
	return dst
}

// stringEndAt is stringEnd for a place at which there may be no string.
func (w *walk) stringEndAt(i int) int {
	if i >= len(w.text) || w.text[i] != '"' {
		return -1
	}
	return w.stringEnd(i)
}
