package report

import (
	"fmt"
	"strings"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// text writes text in running text. What a reader of Markdown may turn into a
// link without any markup becomes code, as a backslash does not stop it.
func text(s string) string {
	s = safetext.Line(s)
	lower := strings.ToLower(s)
	if strings.Contains(s, "@") || strings.Contains(lower, "://") || strings.Contains(lower, "www.") ||
		strings.Contains(lower, "mailto:") || strings.Contains(lower, "xmpp:") {
		return code(s)
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case i == 0 && numbered(s):
			fmt.Fprintf(&b, "&#%d;", r)
		case strings.ContainsRune("\\`*_{}[]<>#|~&!$", r), i == 0 && strings.ContainsRune("+-=", r):
			b.WriteString("\\" + string(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// numbered reports whether text begins like an item of a numbered list.
func numbered(s string) bool {
	rest := strings.TrimLeft(s, "0123456789")
	return rest != s && rest != "" && (rest[0] == '.' || rest[0] == ')')
}

// code writes text as code, in which nothing has a meaning but the fence.
func code(s string) string {
	s = safetext.Line(s)
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

// cellCode is code in a table, which a bar would end.
func cellCode(s string) string { return code(strings.ReplaceAll(s, "|", "\\|")) }
