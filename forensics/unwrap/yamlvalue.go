package unwrap

import (
	"bytes"

	"github.com/svc-edge/svc-verify/forensics/read/rows"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// yamlLine is a line without the spaces that it begins with.
type yamlLine struct {
	indent int
	text   []byte
}

// yamlReader makes JSON of a block of YAML. Anchors, tags, null and other values that no
// event has are not read.
type yamlReader struct {
	lines   []yamlLine
	at      int
	out     []byte
	certain bool // no value has another reading
}

// nextLine returns the next line that is not blank and no comment, nil at the end.
func (y *yamlReader) nextLine() *yamlLine {
	for ; y.at < len(y.lines); y.at++ {
		if l := &y.lines[y.at]; len(l.text) > 0 && l.text[0] != '#' {
			return l
		}
	}
	return nil
}

func isItem(text []byte) bool {
	return len(text) > 0 && text[0] == '-' && (len(text) == 1 || text[1] == ' ')
}

var yamlName = safetext.Pattern(`^(?:"([^"\\]*)"|'([^']*)'|([A-Za-z0-9_][A-Za-z0-9_./-]*)) *:(?: +(.*))?$`)

// readMapping reads the members that begin at a column.
func (y *yamlReader) readMapping(indent int) bool {
	y.out = append(y.out, '{')
	for l := y.nextLine(); l != nil && l.indent >= indent && !isItem(l.text); l = y.nextLine() {
		m := yamlName().FindSubmatch(l.text)
		if m == nil || l.indent > indent {
			return false
		}
		y.out = append(rows.AppendString(y.out, bytes.Join(m[1:4], nil)), ':')
		if !y.readValue(indent, m[4]) {
			return false
		}
	}
	y.closeWith('}')
	return true
}

// readList reads the items that begin at a column.
func (y *yamlReader) readList(indent int) bool {
	y.out = append(y.out, '[')
	for l := y.nextLine(); l != nil && l.indent == indent && isItem(l.text); l = y.nextLine() {
		rest := bytes.TrimLeft(l.text[1:], " ")
		inner := yamlLine{indent + len(l.text) - len(rest), rest}
		read := func() bool { return y.readValue(indent, rest) }
		if isItem(rest) || yamlName().Match(rest) {
			*l = inner
			read = func() bool { return y.readBlock(inner.indent) }
		}
		if !read() {
			return false
		}
	}
	y.closeWith(']')
	return true
}

// closeWith ends a mapping or list whose members each end with a comma.
func (y *yamlReader) closeWith(bracket byte) {
	y.out = append(bytes.TrimSuffix(y.out, []byte(",")), bracket)
}

// readBlock reads the mapping or list that begins on the next line, and a comma.
func (y *yamlReader) readBlock(indent int) bool {
	read := y.readMapping
	if isItem(y.nextLine().text) {
		read = y.readList
	}
	ok := read(indent)
	y.out = append(y.out, ',')
	return ok
}

// readValue reads the value after the name of a member or the mark of an item, and a comma.
func (y *yamlReader) readValue(indent int, rest []byte) bool {
	y.at++
	rest = yamlTag().ReplaceAll(bytes.TrimRight(rest, " "), []byte("$1$2"))
	if len(rest) == 0 || rest[0] == '#' {
		l := y.nextLine()
		return l != nil && (l.indent > indent || l.indent == indent && isItem(l.text)) && y.readBlock(l.indent)
	}
	var text []byte
	var ok bool
	switch rest[0] {
	case '|', '>':
		text, ok = y.readLiteral(indent, rest)
	case '"', '\'':
		text, ok = y.readQuoted(rest)
	default:
		return y.readPlain(indent, rest)
	}
	y.out = append(rows.AppendString(y.out, text), ',')
	return ok
}

// readLiteral reads the lines of a block scalar.
func (y *yamlReader) readLiteral(indent int, head []byte) (text []byte, ok bool) {
	first := y.nextLine()
	if first == nil || first.indent <= indent || len(head) > 2 || len(head) == 2 && head[1] != '-' {
		return nil, false
	}
	column := first.indent
	for ; y.at < len(y.lines); y.at++ {
		l := y.lines[y.at]
		if len(l.text) > 0 && l.indent < column {
			break
		}
		text = append(append(text, bytes.Repeat([]byte(" "), max(0, l.indent-column))...), l.text...)
		text = append(text, '\n')
	}
	text = bytes.TrimRight(text, "\n")
	if head[0] == '>' {
		y.certain, text = false, foldLines(text)
	}
	if len(head) == 1 {
		text = append(text, '\n')
	}
	return text, true
}

// readQuoted reads a string in quotes, which can go over several lines.
func (y *yamlReader) readQuoted(first []byte) ([]byte, bool) {
	text, how := bytes.Clone(first), apostrophes
	if first[0] == '"' {
		how = backslash
	}
	for i := 1; ; i++ {
		for i >= len(text) {
			if y.at == len(y.lines) {
				return nil, false
			}
			i, text = i-len(text), bytes.TrimRight(text, " ")
			i, text = i+len(text), append(append(text, '\n'), y.lines[y.at].text...)
			y.at, y.certain = y.at+1, false
		}
		switch c := text[i]; {
		case c == '\\' && how == backslash || c == '\'' && how == apostrophes && i+1 < len(text) && text[i+1] == c:
			i++
		case c == first[0]:
			behind := bytes.TrimSpace(text[i+1:])
			text, _ = how.decodeLayer(nil, foldLines(text[1:i]), nil)
			return text, len(behind) == 0 || behind[0] == '#'
		}
	}
}

// foldLines makes a space of a line break, and a line break of each blank line, but none of
// a line break behind a backslash.
func foldLines(text []byte) []byte {
	return lineBreaks().ReplaceAllFunc(text, func(b []byte) []byte {
		switch {
		case b[0] == '\\':
			return b
		case len(b) == 1:
			return []byte(" ")
		}
		return b[1:]
	})
}

var lineBreaks = safetext.Pattern(`\\(?s:.)|\n+`)

var (
	yamlTag     = safetext.Pattern(`^(?:!!(?:int|bool) ["']([^"'\\]*)["']$|!!str (["']))`)
	yamlInteger = safetext.Pattern(`^-?(0|[1-9][0-9]*)$`)

	// yamlVague are the scalars that some readers and writers take for no text.
	yamlVague = safetext.Pattern(`(?i)^(yes|no|on|off|y|n|true|false|0[xob][0-9a-f_]+|` +
		`[-+]?[0-9.][0-9_.:]*(e[-+]?[0-9]+)?|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}.*|[-+]?\.(inf|nan))$`)
)

// readPlain reads a scalar without quotes, and a comma.
func (y *yamlReader) readPlain(indent int, text []byte) bool {
	for ; y.at < len(y.lines) && len(y.lines[y.at].text) > 0 && y.lines[y.at].indent > indent; y.at++ {
		text = append(append(bytes.Clone(text), ' '), bytes.TrimRight(y.lines[y.at].text, " ")...)
		y.certain = false
	}
	text, _, _ = bytes.Cut(text, []byte(" #"))
	switch s := string(bytes.TrimRight(text, " ")); {
	case s == "true" || s == "false" || s == "{}" || s == "[]" || yamlInteger().MatchString(s):
		y.out = append(y.out, s...)
	case bytes.IndexByte([]byte("&*!?%@`{[]},"), s[0]) >= 0 || s == "~" || s == "null":
		return false
	default:
		y.certain = y.certain && !yamlVague().MatchString(s)
		y.out = rows.AppendString(y.out, []byte(s))
	}
	y.out = append(y.out, ',')
	return true
}
