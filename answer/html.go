package answer

import (
	"crypto/sha256"
	_ "embed" // the page and its style sheet
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

//go:embed page.html
var pageSource string

// sheet is in a page as it is, and its digest in the page's policy.
//
//go:embed style.css
var sheet string

// policy is the Content-Security-Policy of a page: this one style sheet, and
// nothing else, neither scripts nor images nor anything from elsewhere.
func policy() string {
	sum := sha256.Sum256([]byte(sheet))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; base-uri 'none'; form-action 'none'"
}

// page returns the template of all pages. It is parsed at the first use: most runs of
// the program write no page.
var page = sync.OnceValue(func() *template.Template {
	return template.Must(Template("page", template.FuncMap{
		"policy": policy, "verdict": VerdictWord[string],
		"style": func() template.CSS { return template.CSS(sheet) }, // #nosec G203 -- embedded
		"kind":  func(b Block) string { return strings.TrimPrefix(fmt.Sprintf("%T", b), "answer.") },
	}).Parse(pageSource))
})

// Template returns an empty template with the functions that quote evidence, such as for
// pictures, and with functions of its own.
func Template(name string, own template.FuncMap) *template.Template {
	return template.New(name).Funcs(template.FuncMap{
		"safe":   safetext.Line,
		"words":  words,
		"name":   func(s string) (template.HTML, error) { return words(Label(s)) },
		"number": Number,
	}).Funcs(own)
}

// HTML writes a document as one page that needs no other file and runs no script.
func HTML(w io.Writer, d *Doc) error { return page().Execute(w, d) }

// Skip returns the section that a reader wants first, nil if none has its ID.
func (d *Doc) Skip() *Section {
	for i := range d.Sections {
		if d.Sections[i].ID == d.Main {
			return &d.Sections[i]
		}
	}
	return nil
}
