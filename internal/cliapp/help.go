package cliapp

import (
	_ "embed"
	"strings"
	"sync"
	"text/template"

	"github.com/svc-edge/svc-verify/internal/columns"
)

const (
	helpWidth = 80 // columns of a help page
	termWidth = 26 // a longer term has its own line
)

//go:embed pages.txt
var pageSource string

// pages are the templates of help, reference and manual page.
var pages = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"wrap":       func(text, lead string) string { return columns.Wrap(text, helpWidth, len(lead)) },
		"indent":     func(text, margin string) string { return strings.ReplaceAll(text, "\n", "\n"+margin) },
		"lines":      func(text string) []string { return strings.Split(text, "\n") },
		"terms":      helpRows,
		"titled":     func(title string, rows []row) titled { return titled{title, rows} },
		"markdown":   markdownText,
		"cell":       func(text string) string { return strings.ReplaceAll(text, "|", `\|`) }, // in a code span too
		"upper":      strings.ToUpper,
		"roff":       escapeRoff,
		"paragraphs": splitParagraphs,
	}).Parse(pageSource))
})

// titled are rows with the title of their table.
type titled struct {
	Title string
	Rows  []row
}

// renderTemplate returns the output of a template for a page, or for all pages.
func renderTemplate(name string, data any) string {
	var b strings.Builder
	if err := pages().ExecuteTemplate(&b, name, data); err != nil {
		panic("pages.txt: " + err.Error())
	}
	return b.String()
}

// helpText returns the help text of a command.
func (p *Program) helpText(path []*Command) string {
	pg := p.pageOf(path)
	if len(path) > 1 {
		pg.Flags = append(pg.Flags, row{p.dashedFlag("help"), "Show this help"})
	}
	return renderTemplate("help", pg)
}

// Markdown returns the reference of the program: every command with its
// forms, flags and examples.
func (p *Program) Markdown() string { return renderTemplate("markdown", p.allPages()) }

// allPages returns the page of every command. The program is the first.
func (p *Program) allPages() (all []page) {
	for _, path := range p.commandPaths() {
		all = append(all, p.pageOf(path))
	}
	return all
}

// helpRows writes a titled table of terms.
func helpRows(title string, rows []row) string {
	if len(rows) == 0 {
		return ""
	}
	column := 0
	for _, r := range rows {
		if w := columns.Width(r.Term); w <= termWidth {
			column = max(column, w)
		}
	}
	text := "\n\n" + title + ":"
	for _, r := range rows {
		text += "\n  " + r.Term
		gap := column - columns.Width(r.Term)
		if gap < 0 {
			text += "\n  "
			gap = column
		}
		text += strings.Repeat(" ", gap+2) + columns.Wrap(r.Text, helpWidth, column+4)
	}
	return text
}

// markdownText escapes the characters that Markdown would read as markup.
func markdownText(s string) string {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", `*`, `\*`, `_`, `\_`, `<`, `\<`, `[`, `\[`, `|`, `\|`).Replace(s)
}

// splitParagraphs returns the paragraphs of a text, each in one line.
func splitParagraphs(text string) (all []string) {
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		if text != "" {
			all = append(all, strings.Join(strings.Fields(paragraph), " "))
		}
	}
	return all
}
