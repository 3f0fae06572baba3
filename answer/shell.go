package answer

import (
	"strings"

	"github.com/svc-edge/svc-verify/internal/columns"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Command returns the lines of a command, which run as they stand: a backslash ends each but the last, and no writer
// tears a word.
func Command(words []string) (lines []Text) {
	column := Width
	for _, word := range safetext.ShellWords(words) {
		if column += 1 + columns.Width(word); column > Width-8 { // there may be words before a line
			column = columns.Width(word)
			if n := len(lines); n > 0 {
				lines[n-1][len(lines[n-1])-1].Text += ` \`
			}
			lines = append(lines, nil)
		}
		last := &lines[len(lines)-1]
		if len(*last) > 0 {
			*last = append(*last, Span{Text: " "})
		}
		*last = append(*last, Span{Text: word, Style: coded, whole: true})
	}
	return lines
}

// NextLine returns the next command in one line, "" if there is none.
func (d *Doc) NextLine() string { return strings.Join(safetext.ShellWords(d.Next), " ") }
