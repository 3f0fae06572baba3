package safetext

import (
	"strings"
)

// plainWord is a word that no shell changes.
var plainWord = Pattern(`^[A-Za-z0-9_@%+=:,./-]+$`)

// ShellWord quotes a word for a POSIX shell. Characters that a terminal would not show as they
// are cannot be in a command that people copy: they are written as ANSI-C escapes.
func ShellWord(word string) string {
	if plainWord().MatchString(word) {
		return word
	}
	if strings.ContainsFunc(word, func(r rune) bool { return r < ' ' || r > '~' }) {
		return "$" + ansiQuoted(word)
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// ShellWords quotes the words of a command.
func ShellWords(words []string) []string {
	all := make([]string, len(words))
	for i, word := range words {
		all[i] = ShellWord(word)
	}
	return all
}

// ansiQuoted writes bytes that are not printable ASCII as octal escapes.
func ansiQuoted(word string) string {
	var b strings.Builder
	b.WriteByte('\'')
	for _, c := range []byte(word) {
		switch {
		case c == '\'' || c == '\\':
			b.WriteString(`\` + string(rune(c)))
		case c < ' ' || c > '~':
			b.WriteString(`\` + string([]byte{'0' + c>>6, '0' + c>>3&7, '0' + c&7}))
		default:
			b.WriteByte(c)
		}
	}
	return b.String() + "'"
}
