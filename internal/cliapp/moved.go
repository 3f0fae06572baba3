package cliapp

import (
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Moved is the command line that does what a former one did: of a command that is gone, or that took
// its first argument with a flag.
type Moved struct {
	To   string // the words of the command, such as "show gaps"
	Also string // words after the others, such as "--status any"; "" for none
	// Position is a former flag whose value now stands before the other arguments; "" for none.
	Position string
}

// isFormer reports whether words have the flag whose value is an argument now.
func (m Moved) isFormer(words []string) bool { return slices.ContainsFunc(words, m.isPosition) }

// isPosition reports whether a word is the flag whose value is an argument now.
func (m Moved) isPosition(word string) bool {
	if m.Position == "" || !looksLikeFlag(word) {
		return false
	}
	name, _, _ := splitFlag(word)
	return name == m.Position
}

// error returns the error that says what to type instead of a former command with these words.
func (m Moved) error(program, former string, words []string) error {
	line, first, rest := []string{program, m.To}, []string(nil), []string(nil)
	for i := 0; i < len(words); i++ {
		if !m.isPosition(words[i]) {
			rest = append(rest, safetext.ShellWord(words[i]))
			continue
		}
		_, value, hasValue := splitFlag(words[i])
		if !hasValue {
			if i++; i == len(words) {
				break
			}
			value = words[i]
		}
		first = append(first, safetext.ShellWord(value))
	}
	line = append(append(line, first...), rest...)
	if m.Also != "" {
		line = append(line, m.Also)
	}
	return Usagef("this form of %s is gone; type: %s", former, strings.Join(line, " "))
}
