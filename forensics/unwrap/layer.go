package unwrap

import (
	"bytes"
	"slices"
)

// layer is one way in which a text is written within another.
type layer struct {
	name string

	// special are the bytes that an escape can begin with. All others stand for
	// themselves.
	special string

	// escape appends the value of the escape at the beginning of src, and returns its length.
	// Other text is its own value.
	escape func(dst, src []byte) ([]byte, int)
}

// The layers.
var (
	backslash   = &layer{"backslash escapes", `\`, unescapeJSON}
	onlyQuotes  = &layer{"escaped quotes", `\`, pairEscapes(`\"`, `"`)}
	numberSigns = &layer{"number signs", "#", octetEscape(2, 16)}
	octalSigns  = &layer{"octal number signs", "#", octetEscape(3, 8)}
	yamlSingle  = &layer{"a YAML string", "'\r\n", yamlText}
	clixml      = &layer{"_x codes", "_", unescapeUnderscore}
	standardSQL = &layer{"a Unicode literal of SQL", `\'`, unicodeSQL}
	percents    = &layer{"doubled percent signs", "%", pairEscapes("%%", "%")}
	dollars     = &layer{"doubled dollar signs", `$\`, pairEscapes("$$", "$", `\#`, "#")}
	templates   = &layer{"escaped templates", "$%'", pairEscapes("$${", "${", "%%{", "%{", "${'$'}", "$",
		"''${", "${", "'''", "''")}
	bars        = &layer{"escaped bars", `\`, pairEscapes(`\|`, "|")}
	onlySingle  = &layer{"escaped apostrophes", `\`, pairEscapes(`\'`, "'")}
	hardSpaces  = &layer{"hard spaces", "\xc2", pairEscapes("\u00a0", " ")}
	backslashes = &layer{"doubled backslashes", `\`, pairEscapes(`\\`, `\`, `\'`, `'`)}
	troff       = &layer{"troff", `\`, pairEscapes(`\(rs`, `\`, `\e`, `\`, `\(aq`, `'`, `\(dq`, `"`, `\-`, "-")}
	byteaInCopy = &layer{"a bytea of COPY", `\`, escapedBytea}
	quotes      = &layer{"doubled quotes", `"`, pairEscapes(`""`, `"`)}
	apostrophes = &layer{"doubled apostrophes", `'`, pairEscapes(`''`, `'`)}
	shell       = &layer{"shell quotes", `'\`, pairEscapes(`'\''`, `'`, `'"'"'`, `'`, `\%`, "%")}
	entities    = &layer{"markup", "&<", markupText}
	percent     = &layer{"percent codes", "%", percentText}
	form        = &layer{"a form", "%+", formOctet}
	plus        = &layer{"plus signs", "+", pairEscapes("+", " ")}
	printable   = &layer{"quoted-printable", "=", printableOctet}
	arrows      = &layer{"arrows", "=%", pairEscapes("=>", ":", "%{", "{")}
	joined      = &layer{"joined literals", `"'?`, joinLiterals}
	decimals    = &layer{"decimal escapes", `\`, decimalText}
	carets      = &layer{"carets", "^%", afterMark("")}
	backticks   = &layer{"backticks", "`$", afterMark("")}
	atSigns     = &layer{"at signs", "@", pairEscapes("@@", "@", "@{", "{", "@}", "}")}
	teamCity    = &layer{"bars of TeamCity", "|", afterMark("0x")}
	visible     = &layer{"octets that cat shows", "M", visibleOctet}
	teX         = &layer{"TeX", `\`, pairEscapes(`\textbackslash{}`, `\`, `\textasciitilde{}`, "~", `\textbar{}`, "|",
		`\vert{}`, "|", `\textless{}`, "<", `\textgreater{}`, ">", `\^{}`, "^", `\{`, "{", `\}`, "}", `\_`, "_",
		`\&`, "&", `\%`, "%", `\$`, "$", `\#`, "#")}
	misread  = &layer{"UTF-8 read as Windows-1252", "\xc3\\", misreadOctets}
	folded   = &layer{"folded lines", "\r\n\\", unfoldBreak}
	unbroken = &layer{"broken lines", "\r\n", removeBreak}
	colours  = &layer{"terminal colours", "\x1b", withoutColour}
	sections = &layer{"CDATA sections", "]", pairEscapes("]]]]><![CDATA[>", "]]>")}
	rich     = &layer{"rich text", `\`, richText}
)

// mark is where a decoded text and the text that it was decoded out of stand side
// by side.
type mark struct{ from, to int }

// lastMark returns the last mark that is not behind a place of the decoded text.
func lastMark(marks []mark, place int) mark {
	at, _ := slices.BinarySearchFunc(marks, place+1, func(m mark, p int) int { return m.to - p })
	return marks[max(at-1, 0)]
}

// markEvery is how far marks are apart in the text before decoding.
const markEvery = 1 << 8

// decodeLayer appends the decoded form of src. Of marks it makes one for each stretch.
func (l *layer) decodeLayer(dst, src []byte, marks []mark) ([]byte, []mark) {
	last := -markEvery
	for i := 0; i < len(src); {
		if i-last >= markEvery {
			marks = append(marks, mark{i, len(dst)})
			last = i
		}
		n := l.nextEscape(src[i:])
		dst = append(dst, src[i:i+n]...)
		if i += n; i < len(src) {
			dst, n = l.escape(dst, src[i:])
			i += n
		}
	}
	return dst, append(marks, mark{len(src), len(dst)})
}

// nextEscape returns where the next escape can begin, or the length of b. It searches in windows of
// growing size, so that an absent mark costs no more than the distance to another one.
func (l *layer) nextEscape(b []byte) int {
	for from, size := 0, 64; from < len(b); from, size = from+size, 2*size {
		part := b[from:min(len(b), from+size)]
		n := len(part)
		for i := range len(l.special) {
			if at := bytes.IndexByte(part[:n], l.special[i]); at >= 0 {
				n = at
			}
		}
		if n < len(part) {
			return from + n
		}
	}
	return len(b)
}

// sourcePlace returns where in src the byte at a place of the decoded text comes from.
func (l *layer) sourcePlace(src []byte, marks []mark, place int) int {
	m := lastMark(marks, place)
	var scratch [64]byte
	for m.to < place && m.from < len(src) {
		n := l.nextEscape(src[m.from:])
		if m.to+n >= place {
			return m.from + place - m.to
		}
		m.from, m.to = m.from+n, m.to+n
		if m.from == len(src) {
			break
		}
		out, n := l.escape(scratch[:0], src[m.from:])
		if m.to += len(out); m.to > place {
			break
		}
		m.from += n
	}
	return m.from
}

// escapedBytea reads a byte that PostgreSQL escaped twice: as one of a bytea in the format
// escape, and as text of COPY.
func escapedBytea(dst, src []byte) ([]byte, int) {
	if bytes.HasPrefix(src, []byte(`\\\\`)) {
		return append(dst, '\\'), 4
	}
	if v, ok := octetAt(src, 2, 3, 8); ok && src[1] == '\\' {
		return append(dst, v), 5
	}
	return append(dst, src[0]), 1
}

// pairEscapes makes an escape of pairs of texts: the escape, and its value.
func pairEscapes(texts ...string) func(dst, src []byte) ([]byte, int) {
	return func(dst, src []byte) ([]byte, int) {
		for i := 0; i < len(texts); i += 2 {
			if len(src) >= len(texts[i]) && string(src[:len(texts[i])]) == texts[i] {
				return append(dst, texts[i+1]...), len(texts[i])
			}
		}
		return append(dst, src[0]), 1
	}
}
