package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/svc-edge/svc-verify/forensics/finding"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

const width = 80 // columns of everything that is written for people

// page is text for people, in columns that a terminal has.
type page struct {
	strings.Builder
	columns int
	marks   []mark
}

// mark is a word that has a colour.
type mark struct {
	from, to int
	style    string
}

func newPage() *page { return &page{columns: width} }

// pair is a label and its value, which is safe to show.
type pair struct{ label, value string }

// heading starts a section, after an empty line if one came before.
func (p *page) heading(text string) {
	if p.Len() > 0 {
		p.WriteByte('\n')
	}
	p.WriteString(text + "\n")
}

// prose writes wrapped text in front of which stand so many spaces.
func (p *page) prose(indent int, text string) {
	fmt.Fprintf(p, "%*s%s\n", indent, "", safetext.Wrap(safetext.Line(text), p.columns, indent))
}

// pairs writes labels and values in two columns below a heading. A word that
// the second column is too narrow for, such as a digest, stands below its label.
func (p *page) pairs(pairs ...pair) {
	column := 0
	for _, q := range pairs {
		column = max(column, safetext.Width(q.label))
	}
	for _, q := range pairs {
		indent := column + 4
		if indent+safetext.Width(q.value) > p.columns && !strings.Contains(q.value, " ") {
			fmt.Fprintf(p, "  %s\n    %s\n", q.label, q.value)
			continue
		}
		gap := strings.Repeat(" ", indent-2-safetext.Width(q.label))
		fmt.Fprintf(p, "  %s%s%s\n", q.label, gap, safetext.Wrap(q.value, p.columns, indent))
	}
}

// styles are the colours of verdicts and severities, as parameters of the
// escape sequence that selects them (ECMA-48, 8.3.117).
var styles = map[string]string{
	string(verify.Verified): "1;32", string(verify.Rejected): "1;31", string(verify.Inconclusive): "1;33",
	string(verify.Passed): "32", string(verify.Failed): "31", string(verify.Empty): "33", string(verify.Skipped): "33",
	string(finding.Critical): "1;31", string(finding.High): "31", string(finding.Medium): "33", string(finding.Info): "36",
	string(trust.Warning): "33",
}

// lead gives the first place of a verdict or severity in what f writes its colour.
func (p *page) lead(word string, f func()) {
	before := p.Len()
	f()
	at := strings.Index(p.String()[before:], word)
	if style := styles[word]; style != "" && at >= 0 {
		p.marks = append(p.marks, mark{before + at, before + at + len(word), style})
	}
}

// headline is a heading that begins with a verdict.
func (p *page) headline(verdict, rest string) {
	p.lead(verdict, func() { p.heading(verdict + "  " + rest) })
}

// painted returns the text with its colours.
func (p *page) painted() string {
	var b strings.Builder
	text, at := p.String(), 0
	for _, m := range p.marks {
		fmt.Fprintf(&b, "%s\x1b[%sm%s\x1b[0m", text[at:m.from], m.style, text[m.from:m.to])
		at = m.to
	}
	b.WriteString(text[at:])
	return b.String()
}

// colorFlag chooses whether a page has colours.
func colorFlag() cliapp.Flag {
	return cliapp.Flag{Name: "color", Choices: []string{"auto", "always", "never"}, Default: "auto",
		Usage: "Colour verdicts and severities; auto does on a terminal, unless NO_COLOR is set"}
}

// write writes the page to standard output, in the colours that the flags of the
// command ask for. Nothing else depends on NO_COLOR (https://no-color.org).
func (p *page) write(c *cliapp.Context) error {
	text := p.String()
	if choice := c.Text("color"); choice == "always" || choice == "auto" && cliapp.IsTerminal(c.Stdout) && os.Getenv("NO_COLOR") == "" {
		text = p.painted()
	}
	_, err := io.WriteString(c.Stdout, text)
	return err
}

// quoteAll joins texts, each quoted; "none" if there are none.
func quoteAll(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	words := make([]string, len(list))
	for i, s := range list {
		words[i] = safetext.Quote(s)
	}
	return strings.Join(words, ", ")
}

// joined joins numbers; "none" if there are none.
func joined[T ~int64 | ~uint64](list []T) string {
	if len(list) == 0 {
		return "none"
	}
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = fmt.Sprint(n)
	}
	return strings.Join(words, ", ")
}
