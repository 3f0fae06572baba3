package answer

import (
	"crypto/sha256"
	_ "embed" // the style sheet
	"encoding/base64"
	"html/template"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// sheet is in a page as it is, and its digest in the page's policy.
//
//go:embed style.css
var sheet string

// policy is the Content-Security-Policy of a page: this one style sheet, and
// nothing else, neither scripts nor images nor anything from elsewhere.
var policy = "default-src 'none'; style-src 'sha256-" + digest(sheet) + "'; base-uri 'none'; form-action 'none'"

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// Template returns a page's template with the functions and signs of every page, and with
// functions of its own. It is for a page that is parsed at its first use.
func Template(name string, own template.FuncMap) *template.Template {
	funcs := template.FuncMap{
		"policy": func() string { return policy },
		"style":  func() template.CSS { return template.CSS(sheet) }, // #nosec G203 -- embedded
		"safe":   safetext.Line,
		"words":  Words,
		"name":   quoted,
		"number": Number,
	}
	return template.Must(template.New(name).Funcs(funcs).Funcs(own).Parse(signs))
}

// signs is a template that draws a verdict's sign: {{template "sign" TONE}} with the
// tone good, bad or warn, and small-sign.
//
//go:embed signs.html
var signs string
