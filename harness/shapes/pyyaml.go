package shapes

import (
	"fmt"
	"strings"
)

// PyYAML breaks what is longer into lines.
const (
	pyYAMLWidth  = 80
	pyYAMLIndent = "\n    "
)

// pyYAML writes a string as PyYAML does, from the given column: in single quotes if
// it is printable ASCII, otherwise in double quotes.
func pyYAML(text string, column int) string {
	if strings.IndexFunc(text, func(r rune) bool { return r < 0x20 || r > 0x7e }) < 0 {
		return pyYAMLSingle(text, column)
	}
	return pyYAMLDouble(text, column)
}

// pyYAMLSingle breaks lines at spaces.
func pyYAMLSingle(text string, column int) string {
	var out strings.Builder
	words := strings.SplitAfter(strings.ReplaceAll(text, "'", "''"), " ")
	for i, word := range words {
		single := i+1 < len(words) && word != " " && words[i+1] != " "
		bare := strings.TrimSuffix(word, " ")
		column += len(bare)
		if i == 0 {
			out.WriteString("'")
			column++
		}
		out.WriteString(bare)
		switch {
		case len(bare) == len(word):
		case single && column > pyYAMLWidth:
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
	escapes := map[rune]string{'"': `"`, '\\': `\`, 0x2028: "L", 0x2029: "P", 0x85: "N", 0xa0: "_"}
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
		if r == -1 || escapes[r] != "" || r < 0x20 || r > 0x7e {
			write(string(runes[start:end]))
			start = end
			if r != -1 {
				write(pyYAMLEscape(r, escapes))
				start = end + 1
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

func pyYAMLEscape(r rune, escapes map[rune]string) string {
	switch {
	case escapes[r] != "":
		return `\` + escapes[r]
	case r <= 0xff:
		return fmt.Sprintf(`\x%02X`, r)
	case r <= 0xffff:
		return fmt.Sprintf(`\u%04X`, r)
	}
	return fmt.Sprintf(`\U%08X`, r)
}
