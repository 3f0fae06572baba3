package unwrap

import (
	"bytes"
	"encoding/hex"
	"slices"
	"strconv"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// list is a way to write bytes otherwise than in digits that stand side by side.
type list struct {
	name string

	// find returns where the first bytes are that may be enough for an event, -1 if
	// there are none.
	find func(text []byte) int

	// decode decodes the bytes that a text begins with. It returns where they end.
	decode func(d *decoding, src []byte) int
}

// lists are the ways. The first ones are looked for before anything else: a dump has the text
// at the right of its digits, and YAML has values in quotes.
var lists = [...]list{
	{"a hexadecimal dump", findDump, decodeDump},
	{YAML, findYAML, decodeYAML},
	{"octets in numbers", findNumbers, decodeNumbers},
	{"numbers in a row", findSpaced, decodeSpaced},
	{"uuencode", findUuencode, decodeUuencode},
	{"digits in groups", findGroups, decodeGroups},
}

// The places of YAML in the lists, and of the first that is looked for between objects.
const (
	listYAML = iota + 1
	betweenObjects
)

// findListed searches a part of a view for the first bytes that are written in one way, and
// hold something. It returns where they stand.
func (f *Finder) findListed(v *view, from, to, way int) (span, bool) {
	l := &lists[way]
	for v.depth < MaxLevels && to-from >= leastRun && f.Looked <= f.budget {
		i := f.levels[v.depth].sight.findIn(v.text[from:to], way)
		if i < 0 {
			break
		}
		from += i
		next := &f.levels[v.depth+1]
		next.beginPart()
		n := l.decode(&next.decoding, v.text[from:to])
		next.markAt(n)
		f.Looked += int64(n)
		if way == listYAML && from+n == len(v.text) {
			f.noteOpen(v, from) // its next lines can be behind the text
		}
		if way == listYAML && len(next.decoded) == 0 {
			f.keepPiece(v, from, from+n) // no other way is right
			return span{from, from + n}, true
		}
		for i := range next.marks {
			next.marks[i].from += from
		}
		if f.searchOctets(&view{text: next.decoded, depth: v.depth + 1, up: v, base: from, end: from + n, marks: next.marks},
			l.name) {
			return span{from, from + n}, true
		}
		from += max(n, 1)
	}
	return span{}, false
}

// findLine returns where the first line begins that is of some kind, by its first byte and
// as a whole, -1 if there is none.
func findLine(text []byte, begins func(byte) bool, is func([]byte) bool) int {
	for at := 0; at < len(text); {
		end := len(text)
		if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		if begins(text[at]) && is(bytes.TrimRight(text[at:end], "\r\n")) {
			return at
		}
		at = end
	}
	return -1
}

// findDump finds a line as xxd, hexdump, od, tcpdump and debuggers write them.
func findDump(text []byte) int {
	const least = 6
	begins := func(c byte) bool { return isHexDigit(c) || c == ' ' || c == '\t' }
	return findLine(text, begins, func(line []byte) bool {
		_, row := dumpRow(nil, line)
		return len(row) >= least
	})
}

// dumpRow appends the bytes of a line of a dump, which begins with an offset. Digits
// in fours are numbers with the lower byte first, unless a colon is behind the offset.
func dumpRow(dst, line []byte) (offset int64, row []byte) {
	const leastOffset, most = 4, 16
	line = bytes.TrimPrefix(bytes.TrimLeft(line, " \t"), []byte("0x"))
	n := 0
	for n < len(line) && isHexDigit(line[n]) {
		n++
	}
	if n < leastOffset || n > most || n+1 >= len(line) || bytes.IndexByte([]byte(": \t"), line[n]) < 0 {
		return 0, nil
	}
	offset, err := strconv.ParseInt(string(line[:n]), 16, 64)
	if err != nil {
		return 0, nil
	}
	digits, colon := bytes.TrimLeft(line[n+1:], " \t"), line[n] == ':'
	if out := appendCharacters(dst, line[n:]); len(out) > len(dst) {
		return offset, out
	}
	if before, _, bar := bytes.Cut(digits, []byte("  |")); bar && !colon {
		digits = before
	} else {
		digits, _, _ = bytes.Cut(digits, []byte("  "))
	}
	for word := range bytes.FieldsSeq(digits) {
		octets, ok := dumpWord(word)
		if !ok {
			break // the text at the right
		}
		if len(octets) == 2 && !colon {
			octets[0], octets[1] = octets[1], octets[0]
		}
		dst = append(dst, octets...)
	}
	return offset, dst
}

// dumpWord reads a word of a dump: bytes in hexadecimal digits, or one in bits.
func dumpWord(word []byte) ([]byte, bool) {
	if v, ok := octetAt(word, 0, 8, 2); ok && len(word) == 8 {
		return []byte{v}, true
	}
	octets, err := hex.DecodeString(string(bytes.TrimPrefix(word, []byte("0x"))))
	return octets, err == nil
}

// appendCharacters appends the bytes of a line of od -c or od -b without its offset: each
// has four columns, with a character, an escape or three octal digits.
func appendCharacters(dst, cells []byte) []byte {
	const width = 4
	for at := 0; at < len(cells); at += width {
		cell := cells[at:min(len(cells), at+width)]
		letter, escaped := letters[cell[len(cell)-1]]
		v, octal := octetAt(cell, 1, 3, 8)
		switch {
		case len(cell) < width || cell[0] != ' ':
			return nil
		case octal:
			dst = append(dst, v)
		case cell[1] == ' ' && cell[2] == ' ':
			dst = append(dst, cell[3])
		case cell[1] == ' ' && cell[2] == '\\' && escaped:
			dst = append(dst, letter)
		default:
			return nil
		}
	}
	return dst
}

// decodeDump reads lines of a dump. An asterisk means lines like the one before it.
func decodeDump(d *decoding, src []byte) int {
	const longest, mostAgain = 256, 1 << 16
	at, base, row, last := 0, int64(-1), 0, int64(0)
	for line := range bytes.Lines(src) {
		text := bytes.TrimRight(line, "\r\n")
		if string(text) == "*" && row > 0 {
			again := d.decoded[len(d.decoded)-row:]
			next, _ := dumpRow(nil, firstLine(src[at+len(line):]))
			for len(d.decoded) < len(src)+mostAgain && base+int64(len(d.decoded)) < next {
				d.decoded = append(d.decoded, again...)
			}
			if base+int64(len(d.decoded)) < next {
				break
			}
			at += len(line)
			continue
		}
		if len(line) > longest {
			break
		}
		offset, out := dumpRow(d.decoded, text)
		if size := int(offset - last); size > 0 && size < row && len(out) > 0 { // its text looks like more
			out = slices.Delete(out, len(d.decoded)-row+size, len(d.decoded))
			d.decoded = d.decoded[:len(d.decoded)-row+size]
		}
		last = offset
		if row = len(out) - len(d.decoded); row <= 0 {
			break
		}
		if base < 0 {
			base = offset
		}
		d.markAt(at)
		d.decoded = out
		at += len(line)
	}
	return at
}

func firstLine(b []byte) []byte {
	line, _, _ := bytes.Cut(b, []byte("\n"))
	return bytes.TrimRight(line, "\r")
}

// typed is a text of JSON in which each value is in an object that names its
// type, as DynamoDB writes them. It is decoded as a whole.
var typedBegin = safetext.Pattern(`"protocol"\s*:\s*\{\s*"S"\s*:\s*"svc\.`)

// typedTokens are the objects that name types, with their strings, and the other tokens of JSON that
// show where objects begin and end.
var typedTokens = safetext.Pattern(`(?s)\{\s*"(?:S|(N)|BOOL|L|M)"\s*:\s*("(?:[^"\\]|\\.)*")?|"(?:[^"\\]|\\.)*"|[{}]`)

// searchTyped searches a part of a view as JSON with a type around each value. It reports
// whether there was anything in it.
func (f *Finder) searchTyped(v *view, from, to int) bool {
	if v.depth == MaxLevels || !typedBegin().Match(v.text[from:to]) {
		return false
	}
	next := &f.levels[v.depth+1]
	next.decoded = append(next.decoded[:0], withoutTypes(v.text[from:to])...)
	f.Looked += int64(to - from)
	return f.searchIn(&view{text: next.decoded, depth: v.depth + 1, up: v, base: from, end: to}, "typed JSON")
}

// withoutTypes returns JSON without the objects that name types.
func withoutTypes(src []byte) []byte {
	var dropped []bool // of the objects that are open
	return typedTokens().ReplaceAllFunc(src, func(token []byte) []byte {
		switch n := len(dropped) - 1; {
		case token[0] == '"':
		case token[0] == '{':
			m := typedTokens().FindSubmatch(token)
			if dropped = append(dropped, len(token) > 1); m[1] != nil {
				return bytes.Trim(m[2], `"`)
			} else if len(token) > 1 {
				return m[2]
			}
		case n >= 0:
			drop := dropped[n]
			if dropped = dropped[:n]; drop {
				return nil
			}
		}
		return token
	})
}
