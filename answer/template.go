// Package answer writes answers for people. It has what the HTML reports share: the style
// sheet, the policy under which a page runs, and how texts of the evidence become part of it.
package answer

import (
	"crypto/sha256"
	_ "embed" // the style sheet
	"encoding/base64"
	"fmt"
	"html/template"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Style stands in a page as it is, and its digest in the page's policy.
//
//go:embed style.css
var Style string

// Policy is the Content-Security-Policy of a page: this one style sheet, and
// nothing else, neither scripts nor images nor anything from elsewhere.
var Policy = "default-src 'none'; style-src 'sha256-" + digest(Style) + "'; base-uri 'none'; form-action 'none'"

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// Template returns a page's template with the functions and signs of every page, and with
// functions of its own. It is for a page that is parsed at its first use.
func Template(name string, own template.FuncMap) *template.Template {
	funcs := template.FuncMap{
		"policy": func() string { return Policy },
		"style":  func() template.CSS { return template.CSS(Style) }, // #nosec G203 -- embedded
		"safe":   safetext.Line,
		"words":  Words,
		"name":   Name,
		"number": Number,
	}
	return template.Must(template.New(name).Funcs(funcs).Funcs(own).Parse(signs))
}

// Number writes a number with a comma between thousands.
func Number(n any) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// signs is a template that draws a verdict's sign: {{template "sign" TONE}} with the
// tone good, bad or warn, and small-sign.
//
//go:embed signs.html
var signs string
