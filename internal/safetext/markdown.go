package safetext

import (
	"fmt"
	"strings"
)

// bareMarkup matches text that a reader of Markdown turns into a link, a mention, a reference
// to an issue or a picture without any markup.
var bareMarkup = Pattern(`(?i)@|://|www\.|mailto:|xmpp:|#[0-9]|\bgh-[0-9]|:[a-z+-][a-z0-9_+-]*:`)

// Markdown writes text in running text. Text that has a meaning without any markup becomes
// code, as a backslash does not stop it.
func Markdown(s string) string {
	s = Line(s)
	if bareMarkup().MatchString(s) {
		return MarkdownCode(s)
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case i == 0 && isNumbered(s):
			fmt.Fprintf(&b, "&#%d;", r)
		case strings.ContainsRune("\\`*_{}[]<>#|~&!$", r), i == 0 && strings.ContainsRune("+-=", r):
			b.WriteString("\\" + string(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isNumbered reports whether text begins like an item of a numbered list.
func isNumbered(s string) bool {
	rest := strings.TrimLeft(s, "0123456789")
	return rest != s && rest != "" && (rest[0] == '.' || rest[0] == ')')
}

// MarkdownCode writes text as code, in which nothing has a meaning but the fence.
func MarkdownCode(s string) string {
	s = Line(s)
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	spaced := strings.HasPrefix(s, " ") && strings.HasSuffix(s, " ")
	if s == "" || strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") || spaced {
		s = " " + s + " "
	}
	return fence + s + fence
}

// MarkdownCellCode is code in a table, which a bar would end. Behind a backslash a bar has no
// escape that all readers know, so that it is written as safetext would.
func MarkdownCellCode(s string) string {
	if strings.Contains(s, `\|`) {
		return MarkdownCode(strings.ReplaceAll(s, "|", `\x7c`))
	}
	return MarkdownCode(strings.ReplaceAll(s, "|", `\|`))
}

// MarkdownCell is running text in a table.
func MarkdownCell(s string) string {
	s = Line(s)
	if bareMarkup().MatchString(s) {
		return MarkdownCellCode(s)
	}
	return Markdown(s)
}
