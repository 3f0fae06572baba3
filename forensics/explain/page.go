package explain

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/svc-edge/svc-verify/internal/columns"
	"github.com/svc-edge/svc-verify/internal/page"
)

// Page renders a topic.
func (t Topic) Page() *page.Page {
	p := page.New()
	p.Heading(string(t.Code))
	severity, _, _ := strings.Cut(t.weight, ",")
	p.Lead(severity, func() { p.Pairs(append([]page.Pair{{"found by", t.Group}}, t.Pairs()...)...) })
	return p
}

// List renders a list of all topics under their groups.
func List() *page.Page {
	p, group := page.New(), ""
	for _, t := range Topics() {
		if t.Group != group {
			p.Heading(t.Group)
			group = t.Group
		}
		fmt.Fprintf(p, "  %-37s %s\n", t.Code, columns.Wrap(cmp.Or(t.Arises, t.weight), page.Width, 40))
	}
	return p
}
