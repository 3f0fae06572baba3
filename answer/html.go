package answer

import (
	_ "embed" // the page
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"
)

//go:embed page.html
var pageSource string

// page returns the template of all pages. It is parsed at the first use: most runs of
// the program write no page.
var page = sync.OnceValue(func() *template.Template {
	kind := func(b Block) string { return strings.TrimPrefix(fmt.Sprintf("%T", b), "answer.") }
	return template.Must(Template("page", template.FuncMap{"kind": kind}).Parse(pageSource))
})

// HTML writes a document as one page that needs no other file and runs no script.
func HTML(w io.Writer, d *Doc) error { return page().Execute(w, d) }

// Skip returns the section that a reader wants first, nil if none has an ID.
func (d *Doc) Skip() *Section {
	for i := range d.Sections {
		if d.Sections[i].ID == d.Main {
			return &d.Sections[i]
		}
	}
	return nil
}
