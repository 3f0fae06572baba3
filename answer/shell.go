package answer

import (
	"strings"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

func shellWords(words []string) []string {
	all := make([]string, len(words))
	for i, word := range words {
		all[i] = safetext.ShellWord(word)
	}
	return all
}

// NextLine returns the next command in one line, "" if there is none.
func (d *Doc) NextLine() string { return strings.Join(shellWords(d.Next), " ") }
