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

// Program is a script of this project in a page, the values that it shows, and its style sheet. The script finds the
// values as JSON in the element with the ID "values". It must not make markup of them: the page's policy makes the
// browser refuse it.
type Program struct {
	Script, Style string
	Values        any
}

// styleOf is the style sheet of a document's page.
func styleOf(d *Doc) template.CSS {
	if d.Program == nil {
		return template.CSS(sheet) // #nosec G203 -- embedded
	}
	return template.CSS(sheet + d.Program.Style) // #nosec G203 -- embedded
}

// securityPolicy is the Content-Security-Policy of a document's page: its one style sheet, its
// script if it has a program, and nothing else, neither images nor anything from elsewhere.
func securityPolicy(d *Doc) string {
	allowed := "default-src 'none'; style-src " + digestSource(string(styleOf(d)))
	if d.Program != nil {
		allowed += "; script-src " + digestSource(d.Program.Script) +
			"; require-trusted-types-for 'script'; trusted-types 'none'"
	}
	return allowed + "; base-uri 'none'; form-action 'none'"
}

// digestSource names a text in a policy.
func digestSource(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// marshalValues writes the values of a program in printable ASCII, without the signs that mean something in HTML.
func marshalValues(v any) (template.JS, error) {
	doc, err := safetext.Marshal(v)
	return template.JS(doc), err // #nosec G203 -- encoding/json escapes < > &
}

// page returns the template of all pages. It is parsed at the first use: most runs of
// the program write no page.
var page = sync.OnceValue(func() *template.Template {
	return template.Must(Template("page", template.FuncMap{
		"policy": securityPolicy, "style": styleOf, "values": marshalValues, "verdict": VerdictWord[string],
		"script": func(p *Program) template.JS { return template.JS(p.Script) }, // #nosec G203 -- embedded
		"kind":   func(b Block) string { return strings.TrimPrefix(fmt.Sprintf("%T", b), "answer.") },
	}).Parse(pageSource))
})

// Template returns an empty template with the functions that quote evidence, such as for
// pictures, and with functions of its own.
func Template(name string, own template.FuncMap) *template.Template {
	return template.New(name).Funcs(template.FuncMap{
		"safe":   safetext.Line,
		"words":  breakableWords,
		"name":   func(s string) (template.HTML, error) { return breakableWords(Label(s)) },
		"number": Number,
	}).Funcs(own)
}

// HTML writes a document as one page that needs no other file, and has no script but its program.
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
