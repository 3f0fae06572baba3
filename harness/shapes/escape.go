package shapes

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"
)

// csvCell writes a cell as RFC 4180 says, in quotes only if it needs them.
func csvCell(cell string) string { return csvBetween(",")(cell) }

// csvBetween is csvCell with another separator.
func csvBetween(separator string) func(string) string {
	return func(cell string) string {
		if strings.ContainsAny(cell, separator+"\"\r\n") {
			return doubled(cell, `"`)
		}
		return cell
	}
}

// quoted writes a cell in quotes always.
func quoted(cell string) string { return doubled(cell, `"`) }

// doubled puts a text between quotes and doubles those inside.
func doubled(text, quote string) string {
	return quote + strings.ReplaceAll(text, quote, quote+quote) + quote
}

// quoteSQL is a string literal of standard SQL.
func quoteSQL(text string) string { return doubled(text, "'") }

// What replacers write.
var (
	xmlText      = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace
	xmlAttribute = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace
	htmlText     = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;").Replace
	goXML        = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;").Replace

	// copyText is PostgreSQL's COPY, in its text form.
	copyText = strings.NewReplacer(`\`, `\\`, "\b", `\b`, "\f", `\f`, "\n", `\n`, "\r", `\r`, "\t", `\t`, "\v",
		`\v`).Replace

	// mysqlString is mysql_real_escape_string.
	mysqlString = strings.NewReplacer(`\`, `\\`, "'", `\'`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\x00", `\0`, "\x1a",
		`\Z`).Replace

	// cString escapes the quote and the backslash alone: C, InfluxDB, Cypher.
	cString = strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace
)

// octal writes what is not printable ASCII as three octal digits.
func octal(text string) string {
	return octets(text, func(b byte) string { return fmt.Sprintf(`\%03o`, b) })
}

// hexed writes what is not printable ASCII as two hexadecimal digits.
func hexed(text string) string {
	return octets(text, func(b byte) string { return fmt.Sprintf(`\x%02x`, b) })
}

// octets escapes what is not printable ASCII, octet for octet.
func octets(text string, escape func(byte) string) string {
	var out strings.Builder
	for i := range len(text) {
		if b := text[i]; b < 0x20 || b > 0x7e {
			out.WriteString(escape(b))
		} else {
			out.WriteByte(b)
		}
	}
	return out.String()
}

func base64Text(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

func hexText(text string) string { return hex.EncodeToString([]byte(text)) }

// wrapped breaks a text after every so many octets.
func wrapped(text string, every int, feed string) string {
	var out strings.Builder
	for len(text) > every {
		out.WriteString(text[:every] + feed)
		text = text[every:]
	}
	return out.String() + text
}

// windowsLines ends lines as Windows does.
func windowsLines(text []byte) []byte { return []byte(strings.ReplaceAll(string(text), "\n", "\r\n")) }

// width counts characters.
func width(text string) int { return utf8.RuneCountInString(text) }

// pad fills a cell with spaces at its right.
func pad(text string, to int) string { return text + strings.Repeat(" ", max(0, to-width(text))) }
