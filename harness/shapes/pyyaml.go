package shapes

import "strings"

// PyYAML breaks longer texts into lines.
const (
	pyYAMLWidth  = 80
	pyYAMLIndent = "\n    "
)

// pyYAML writes a string as PyYAML does, from the given column: in single quotes if
// it is printable ASCII, otherwise in double quotes.
func pyYAML(column int, text string) string {
	if formatOctets("", text) == text {
		return pyYAMLSingle(text, column)
	}
	return pyYAMLDouble(text, column)
}

// pyYAMLSingle breaks lines at spaces.
func pyYAMLSingle(text string, column int) string {
	var out strings.Builder
	out.WriteString("'")
	column++
	words := strings.SplitAfter(strings.ReplaceAll(text, "'", "''"), " ")
	for i, word := range words {
		bare := strings.TrimSuffix(word, " ")
		out.WriteString(bare)
		column += len(bare)
		switch {
		case bare == word:
		case column > pyYAMLWidth && i+1 < len(words) && bare != "" && words[i+1] != " ":
			out.WriteString(pyYAMLIndent)
			column = len(pyYAMLIndent) - 1
		default:
			out.WriteString(" ")
			column++
		}
	}
	return out.String() + "'"
}

// pyYAMLDouble writes ASCII, and breaks lines wherever it likes.
func pyYAMLDouble(text string, column int) string {
	escapes := map[rune]string{'"': `\"`, '\\': `\\`, 0x2028: `\L`, 0x2029: `\P`, 0x85: `\N`, 0xa0: `\_`}
	var out strings.Builder
	write := func(s string) {
		out.WriteString(s)
		column += len(s)
	}
	write(`"`)
	runes := []rune(text)
	start := 0
	for end := 0; end <= len(runes); end++ {
		r := rune(-1)
		if end < len(runes) {
			r = runes[end]
		}
		if escape := escapes[r]; escape != "" || !isASCII(r) {
			write(string(runes[start:end]))
			start = end
			if escape == "" {
				escape = formatBySize(`\x%02X`, `\u%04X`, `\U%08X`, r)
			}
			if r != -1 {
				write(escape)
				start++
			}
		}
		if 0 < end && end < len(runes)-1 && (r == ' ' || start >= end) && column+end-start > pyYAMLWidth {
			write(string(runes[start:max(start, end)]) + `\`)
			start = max(start, end)
			out.WriteString(pyYAMLIndent)
			column = len(pyYAMLIndent) - 1
			if runes[start] == ' ' {
				write(`\`)
			}
		}
	}
	write(`"`)
	return out.String()
}
