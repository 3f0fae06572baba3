package main

import (
	"fmt"
	"strings"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

const width = 80 // columns of everything that is written for people

// page is text for people, in columns that a terminal has.
type page struct {
	strings.Builder
	columns int
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
