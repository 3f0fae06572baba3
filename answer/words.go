package answer

import (
	"html/template"
	"regexp"
	"strings"
	"sync"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// piece is a part of a text in the page: a digest or a name in groups, between
// which a line may end if it is too long for one, or plain text.
type piece struct {
	Class  string // of a group
	Groups []string
	Text   string
}

var (
	longHex    = safetext.Pattern(`[0-9a-fA-F]{32,}`)
	digitGroup = safetext.Pattern(`.{1,16}`) // digits of a digest that are never torn apart
	joined     = safetext.Pattern(`\S*[-/]\S*`)
)

var piecesMarkup = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Parse(`{{range .}}` +
		`{{if .Groups}}<span class="{{.Class}}">{{range $i, $g := .Groups}}{{if $i}}<wbr>{{end}}{{$g}}{{end}}</span>` +
		`{{else}}{{.Text}}{{end}}{{end}}`))
})

// breakableWords writes a text with marks of where a line may end in it. Browsers would
// also end one within a time or a name, at a hyphen, and anywhere in a digest.
func breakableWords(s string) (template.HTML, error) {
	var b strings.Builder
	err := piecesMarkup().Execute(&b, textPieces(safetext.Line(s)))
	return template.HTML(b.String()), err // #nosec G203 -- the template escaped it
}

func textPieces(s string) []piece {
	digest := func(s string) piece { return piece{Class: "digest", Groups: digitGroup().FindAllString(s, -1)} }
	name := func(s string) piece { return piece{Class: "whole", Groups: strings.SplitAfter(s, "/")} }
	return splitMatches(s, longHex(), digest, func(rest string) []piece {
		return splitMatches(rest, joined(), name, func(rest string) []piece { return []piece{{Text: rest}} })
	})
}

// splitMatches makes pieces of the matches and of the text between them.
func splitMatches(s string, re *regexp.Regexp, match func(string) piece, between func(string) []piece) (all []piece) {
	end := 0
	for _, m := range re.FindAllStringIndex(s, -1) {
		if m[0] > end {
			all = append(all, between(s[end:m[0]])...)
		}
		all = append(all, match(s[m[0]:m[1]]))
		end = m[1]
	}
	if end < len(s) {
		all = append(all, between(s[end:])...)
	}
	return all
}
