// Package page lays out text for a terminal of 80 columns. It has sections,
// wrapped prose and tables, with colours for verdicts and severities.
//
// It shows its input as it is, except where [Page.Prose] quotes. Text from
// evidence must go through package safetext first.
package page

import (
	"fmt"
	"strings"

	"github.com/svc-edge/svc-verify/internal/columns"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Width is how many columns everything has that is written for people.
const Width = 80

// Page is text that grows by its methods, and by what is written to it.
type Page struct {
	strings.Builder
	columns int
	marks   []mark
	answer  [2]string // verdict, and what it is on
	goesOn  bool      // something stands before it already
}

// mark is a word that has a colour.
type mark struct {
	from, to int
	style    string
}

// New returns an empty page of the usual width.
func New() *Page { return Narrow(0) }

// Narrow returns an empty page that leaves so many columns free.
func Narrow(free int) *Page { return &Page{columns: Width - free} }

// Columns is how many columns the page has.
func (p *Page) Columns() int { return p.columns }

// Pair is a label and its value, which is safe to show.
type Pair [2]string

// Heading starts a section, after an empty line if one came before.
func (p *Page) Heading(text string) {
	p.Break()
	p.WriteString(text + "\n")
}

// Break writes an empty line, unless there is one or nothing came before.
func (p *Page) Break() {
	if p.Len() == 0 && p.goesOn || p.Len() > 0 && !strings.HasSuffix(p.String(), "\n\n") {
		p.WriteByte('\n')
	}
}

// Prose writes wrapped text, indented by so many spaces.
func (p *Page) Prose(indent int, text string) {
	fmt.Fprintf(p, "%*s%s\n", indent, "", columns.Wrap(safetext.Line(text), p.columns, indent))
}

// Cells writes a line of columns, or as much of it as wraps if it is too long.
func (p *Page) Cells(cells ...string) {
	line := strings.Join(cells, "  ")
	if columns.Width(line)+2 > p.columns {
		p.Prose(2, line)
		return
	}
	p.WriteString("  " + line + "\n")
}

// Pairs writes labels and values in two columns below a heading. A word that
// the second column is too narrow for, such as a digest, stands below its label.
func (p *Page) Pairs(pairs ...Pair) {
	column := 0
	for _, q := range pairs {
		column = max(column, columns.Width(q[0]))
	}
	for _, q := range pairs {
		label, value := q[0], q[1]
		indent := column + 4
		if indent+columns.Width(value) > p.columns && !strings.Contains(value, " ") {
			fmt.Fprintf(p, "  %s\n    %s\n", label, value)
			continue
		}
		gap := strings.Repeat(" ", indent-2-columns.Width(label))
		fmt.Fprintf(p, "  %s%s%s\n", label, gap, columns.Wrap(value, p.columns, indent))
	}
}

// styles are the colours of verdicts, of the state of checks and of severities,
// as parameters of the escape sequence that selects them (ECMA-48, 8.3.117).
var styles = map[string]string{
	"verified": "1;32", "rejected": "1;31", "inconclusive": "1;33",
	"VERIFIED": "1;32", "REJECTED": "1;31", "OPEN": "1;33",
	"passed": "32", "failed": "31", "empty": "33", "skipped": "33",
	"critical": "1;31", "high": "31", "medium": "33", "info": "36", "warning": "33",
}

// Lead gives a verdict or a severity its colour, where it stands first in what f
// writes.
func (p *Page) Lead(word string, f func()) {
	before := p.Len()
	f()
	at := strings.Index(p.String()[before:], word)
	if style := styles[word]; style != "" && at >= 0 {
		p.marks = append(p.marks, mark{before + at, before + at + len(word), style})
	}
}

// Headline is a heading that begins with a verdict.
func (p *Page) Headline(verdict, rest string) {
	p.Lead(verdict, func() { p.Heading(verdict + "  " + rest) })
}

// Answer is a headline whose verdict is the answer of the whole page.
func (p *Page) Answer(verdict, rest string) {
	p.answer = [2]string{verdict, rest}
	p.Headline(verdict, rest)
}

// Rest returns an empty page with the answer of this one, to go on after what is
// too much for a page.
func (p *Page) Rest() *Page { return &Page{columns: p.columns, answer: p.answer, goesOn: true} }

// Conclude says the answer again, if the page has one.
func (p *Page) Conclude() {
	if p.answer[0] != "" {
		p.Headline(p.answer[0], p.answer[1])
	}
}

// Painted returns the text with its colours.
func (p *Page) Painted() string {
	var b strings.Builder
	text, at := p.String(), 0
	for _, m := range p.marks {
		fmt.Fprintf(&b, "%s\x1b[%sm%s\x1b[0m", text[at:m.from], m.style, text[m.from:m.to])
		at = m.to
	}
	b.WriteString(text[at:])
	return b.String()
}

// List joins texts, each quoted; "none" if there are none.
func List(texts []string) string { return joined(texts, safetext.Quote) }

// Numbers joins numbers; "none" if there are none.
func Numbers[T ~int64 | ~uint64](list []T) string {
	return joined(list, func(n T) string { return fmt.Sprint(n) })
}

func joined[T any](list []T, word func(T) string) string {
	if len(list) == 0 {
		return "none"
	}
	words := make([]string, len(list))
	for i, one := range list {
		words[i] = word(one)
	}
	return strings.Join(words, ", ")
}
