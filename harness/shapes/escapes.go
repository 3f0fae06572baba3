package shapes

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// csvCell writes a cell as specified in RFC 4180, in quotes only if it needs them.
func csvCell(separator, text string) string {
	if strings.ContainsAny(text, separator+"\"\r\n") {
		return doubleQuotes(`"`, text)
	}
	return text
}

// doubleQuotes puts a text between quotes and doubles those inside.
func doubleQuotes(quote, text string) string {
	return quote + strings.ReplaceAll(text, quote, quote+quote) + quote
}

// eachCharacter returns a text in which write replaces the characters that are not kept.
func eachCharacter(text string, keep func(rune) bool, write func(rune) string) string {
	var out strings.Builder
	for _, r := range text {
		if keep(r) {
			out.WriteRune(r)
		} else {
			out.WriteString(write(r))
		}
	}
	return out.String()
}

// addSlashes puts a backslash before some characters.
func addSlashes(characters, text string) string {
	other := func(r rune) bool { return !strings.ContainsRune(characters, r) }
	return eachCharacter(text, other, func(r rune) string { return `\` + string(r) })
}

// formatOctets formats each byte that is not printable ASCII.
func formatOctets(format, text string) string {
	var out strings.Builder
	for _, b := range []byte(text) {
		if isASCII(rune(b)) {
			out.WriteByte(b)
		} else {
			out.WriteString(formatCharacter(format, rune(b)))
		}
	}
	return out.String()
}

// misreadUTF8 is a text in UTF-8 that was read as one in Windows-1252.
func misreadUTF8(text string) string {
	var out strings.Builder
	for _, b := range []byte(text) {
		r := charmap.Windows1252.DecodeByte(b)
		if r == utf8.RuneError { // it has no such byte: most programs take the one of Latin-1
			r = rune(b)
		}
		out.WriteRune(r)
	}
	return out.String()
}

// formatCharacter is a character in a format, which may have no verb.
func formatCharacter(format string, r rune) string {
	if strings.Contains(format, "%") {
		return fmt.Sprintf(format, r)
	}
	return format
}

// isASCII reports whether a character is printable ASCII.
func isASCII(r rune) bool { return r >= 0x20 && r <= 0x7e }

// hasXML reports whether PowerShell writes a character into XML as it is.
func hasXML(r rune) bool {
	return r >= 0x20 && r <= 0xffff && r != 0x85 && r != 0x2028 && r != 0x2029
}

// isPrintable reports whether a shell in a UTF-8 locale shows a text as it is.
func isPrintable(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return !strconv.IsPrint(r) }) < 0
}

// formatUnits formats the UTF-16 units of characters that are not kept.
func formatUnits(format string, keep func(rune) bool, text string) string {
	return eachCharacter(text, keep, func(r rune) string { return unitsOf(format, r) })
}

// unitsOf formats the UTF-16 units of a character.
func unitsOf(format string, r rune) (out string) {
	for _, unit := range utf16.Encode([]rune{r}) {
		out += fmt.Sprintf(format, unit)
	}
	return out
}

// formatUnicode formats each character that is not ASCII, by its size: see formatBySize.
func formatUnicode(short, middle, long, text string) string {
	ascii := func(r rune) bool { return r <= 0x7e }
	return eachCharacter(text, ascii, func(r rune) string { return formatBySize(short, middle, long, r) })
}

// formatUnprinted formats the characters that do not print, by their size: see formatBySize.
func formatUnprinted(short, middle, long, text string) string {
	return eachCharacter(text, strconv.IsPrint, func(r rune) string { return formatBySize(short, middle, long, r) })
}

// formatBySize formats a character up to U+00FF with the first format, one up to U+FFFF with
// the second, and others with the third.
func formatBySize(short, middle, long string, r rune) string {
	switch {
	case r <= 0xff:
		return formatCharacter(short, r)
	case r <= 0xffff:
		return formatCharacter(middle, r)
	}
	return formatCharacter(long, r)
}

// shellOctal writes the bytes of characters that do not print, as bash does.
func shellOctal(text string) string {
	return eachCharacter(text, strconv.IsPrint, func(r rune) string { return formatOctets(`\%03o`, string(r)) })
}

// pythonRepr returns Python's representation of a string.
func pythonRepr(text string) string {
	quote := "'"
	if strings.Contains(text, "'") && !strings.Contains(text, `"`) {
		quote = `"`
	}
	return quote + formatUnprinted(`\x%02x`, `\u%04x`, `\U%08x`, addSlashes(`\`+quote, text)) + quote
}

// inspectString is a string as Node.js shows it.
func inspectString(text string) string {
	quote := "'"
	if strings.Contains(text, "'") && !strings.Contains(text, "`") && !strings.Contains(text, "${") {
		quote = "`"
	}
	return quote + replacePairs(`\`, `\\`, quote, `\`+quote, "\x7f", `\x7F`, text) + quote
}

// asRTF writes characters that are not ASCII as units of UTF-16, which are signed.
func asRTF(text string) string {
	ascii := func(r rune) bool { return r < 0x80 }
	return eachCharacter(addSlashes(`\{}`, text), ascii, func(r rune) (out string) {
		if r >= 0xa0 && r <= 0xff {
			return fmt.Sprintf(`\'%02x`, r)
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			out += fmt.Sprintf(`\u%d?`, int16(unit))
		}
		return out
	})
}

// xlsxCode matches the code of a character that XML cannot have, in a workbook.
var xlsxCode = regexp.MustCompile(`_(x[0-9A-Fa-f]{4}_)`)

// jsonToken is a string, a name with its colon, a mark, or another value.
var jsonToken = regexp.MustCompile(`("(?:\\.|[^"\\])*")(:?)|[{}\[\],]|[^{}\[\],:"]+`)

// asColoured writes JSON as jq -C does: each part between its color and a reset.
func asColoured(line string) string {
	paint := func(color, text string) string { return "\x1b[" + color + "m" + text + "\x1b[0m" }
	return jsonToken.ReplaceAllStringFunc(line, func(token string) string {
		switch name, isName := strings.CutSuffix(token, `":`); {
		case isName:
			return paint("34;1", name+`"`) + paint("1;39", ":")
		case token[0] == '"':
			return paint("0;32", token)
		case strings.Contains("{}[],", token):
			return paint("1;39", token)
		}
		return paint("0;39", token)
	})
}

// asNumbers are bytes as numbers, with a text between them.
func asNumbers(between, text string) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprintf("%d", []byte(text)), "[]"), " ", between)
}
