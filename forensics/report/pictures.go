package report

import (
	_ "embed" // the templates of pictures
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"sync"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/internal/columns"
)

//go:embed page/pictures.html
var pictureSource string

// drawings returns the templates of all pictures, parsed at the first use.
var drawings = sync.OnceValue(func() *template.Template {
	return template.Must(answer.Template("pictures",
		template.FuncMap{"add": func(a, b int) int { return a + b }}).Parse(pictureSource))
})

// picture holds the parts that all pictures share, for their templates. Places and widths are shares of the whole
// width; heights are pixels.
type picture struct {
	Title, Desc string
	Height      int // of all
	Labels      []label
	Frames      []box
	Bars        []box
	Legend      []legendItem // of the drawn kinds
	Words       []string     // the same in lines of text
	Left        int          // rows that are not drawn
}

type box struct {
	X, W        string
	Y, H        int
	Class, Text string
}

type symbol struct {
	X          string
	Y, DX      int
	Kind, Text string
}

// label is text at a place: its side is the anchor of the text.
type label struct {
	X              string
	Y              int
	Side, Text     string
	Class, Tooltip string
}

// legendItem is a symbol and its meaning. Sign is the symbol in a line of text.
type legendItem struct{ Kind, Text, Sign string }

// addName adds a line with the name of a log at the left, and labels next to it.
func (p *picture) addName(logID string, beside ...label) {
	name := label{X: "0", Side: "start", Class: "strong", Text: columns.Cut(logID, labelColumns), Tooltip: logID}
	for _, one := range append([]label{name}, beside...) {
		one.Y = p.Height + 13
		p.Labels = append(p.Labels, one)
	}
	p.Height += nameHeight
}

// formatNumber writes a number with a comma between thousands.
func formatNumber(n any) string { return answer.Number(n) }

// rangeText names the sequences of a range.
func rangeText(first, last uint64) string {
	if last <= first {
		return "event " + formatNumber(first)
	}
	return fmt.Sprintf("events %s to %s (%s)", formatNumber(first), formatNumber(last), formatNumber(last-first+1))
}

// percentOf writes a share of a whole as SVG wants it.
func percentOf(part, whole float64) string {
	if whole <= 0 {
		return "0%"
	}
	return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(100*part/whole, 'f', 3, 64), "0"), ".") + "%"
}

// widthOf is percentOf for a width: a shape without any is not drawn at all, not even
// its outline.
func widthOf(part, whole float64) string { return percentOf(max(part, whole/10_000), whole) }
