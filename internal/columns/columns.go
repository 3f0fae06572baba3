// Package columns fits text to the columns of a terminal. East Asian wide
// characters take two.
package columns

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// ellipsis replaces the text that Cut left out.
const ellipsis = "…"

// Width returns the number of columns that s occupies on a terminal.
func Width(s string) int { return displaywidth.String(s) }

// Cut returns [safetext.Quote] of s, shortened in the middle to at most n columns: "…"
// replaces the text that is left out. Both ends stay, as either can distinguish digests and
// paths; escapes and letters with their marks stay whole. With n below 1 nothing fits and the
// result is empty.
func Cut(s string, n int) string {
	q := safetext.Quote(s)
	if Width(q) <= n {
		return q
	}
	if n < 1 {
		return ""
	}
	cells := joinClusters(s)
	head, used := 0, 0
	for head < len(cells) && used+Width(cells[head]) <= n/2 {
		used += Width(cells[head])
		head++
	}
	tail := len(cells)
	for tail > head && used+Width(cells[tail-1]) < n {
		used += Width(cells[tail-1])
		tail--
	}
	return strings.Join(cells[:head], "") + ellipsis + strings.Join(cells[tail:], "")
}

// joinClusters joins the tokens of untrusted text that must not be cut: a letter and its
// marks, even marks with a width of their own.
func joinClusters(s string) []string {
	var cells []string
	for _, t := range safetext.Tokens(s) {
		first, _ := utf8.DecodeRuneInString(t)
		if (Width(t) == 0 || unicode.Is(unicode.M, first)) && len(cells) > 0 {
			cells[len(cells)-1] += t
			continue
		}
		cells = append(cells, t)
	}
	return cells
}

// Wrap breaks trusted text into lines of at most width columns. Paragraphs
// are separated by an empty line; every other white space is one space, and
// the only place where a line is broken, so a digest or a path that is longer
// than a line is on its own and sticks out rather than being torn.
//
// The first line is taken to start at column indent, where the caller has put
// its label; all further lines begin with indent spaces.
func Wrap(s string, width, indent int) string {
	margin := strings.Repeat(" ", max(indent, 0))
	var out strings.Builder
	for i, paragraph := range strings.Split(s, "\n\n") {
		if i > 0 {
			out.WriteString("\n\n" + margin)
		}
		out.WriteString(wrapParagraph(strings.Fields(paragraph), width-len(margin), margin))
	}
	return out.String()
}

func wrapParagraph(words []string, width int, margin string) string {
	var out strings.Builder
	column := 0
	for i, word := range words {
		w := Width(word)
		switch {
		case i == 0:
		case column+1+w > width:
			out.WriteString("\n" + margin)
			column = 0
		default:
			out.WriteByte(' ')
			column++
		}
		out.WriteString(word)
		column += w
	}
	return out.String()
}
