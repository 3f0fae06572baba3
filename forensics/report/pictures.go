package report

import (
	_ "embed" // the templates of pictures
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"sync"

	"github.com/svc-edge/svc-verify/answer"
)

//go:embed page/pictures.html
var pictureSource string

// drawings returns the templates of all pictures, parsed at the first use.
var drawings = sync.OnceValue(func() *template.Template {
	return template.Must(answer.Template("pictures",
		template.FuncMap{"add": func(a, b int) int { return a + b }}).Parse(pictureSource))
})

// number writes a number with a comma between thousands.
func number(n any) string { return answer.Number(n) }

// span names the sequences of a range.
func span(first, last uint64) string {
	if last <= first {
		return "event " + number(first)
	}
	return fmt.Sprintf("events %s to %s (%s)", number(first), number(last), number(last-first+1))
}

// percent writes a share of a whole as SVG wants it.
func percent(part, whole float64) string {
	if whole <= 0 {
		return "0%"
	}
	return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(100*part/whole, 'f', 3, 64), "0"), ".") + "%"
}

// wide is percent for a width: a shape without any is not drawn at all, not even
// its outline.
func wide(part, whole float64) string { return percent(max(part, whole/10_000), whole) }
