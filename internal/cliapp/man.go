package cliapp

import (
	"io"
	"strings"
)

func (p *Program) manCommand() *Command {
	return &Command{
		Name:        "man",
		Summary:     "Print the manual page",
		Description: "Prints the manual page of the program in the format of man(7).",
		Examples:    []string{p.Name + " man > " + p.Name + ".1"},
		ExitCodes:   printed,
		builtin:     true,
		Action: func(c *Context) (int, error) {
			_, err := io.WriteString(c.Stdout, p.manual())
			return 0, err
		},
	}
}

// printed are the exit codes of what prints something about the program.
var printed = []ExitCode{{Code: 0, Meaning: "done"}}

// manual returns the manual page of the program, section 1. It carries no
// date, so that the same version always gives the same bytes.
func (p *Program) manual() string {
	paths := p.paths()
	root := p.page(paths[0])
	var b strings.Builder
	b.WriteString(`.\" This page is generated: ` + p.Name + " man\n")
	b.WriteString(`.TH "` + roff(strings.ToUpper(p.Name)) + `" 1 "" "` + roff(p.Name+" "+p.Version) + "\"\n")
	b.WriteString(".SH NAME\n" + roff(p.Name) + ` \- ` + roff(p.Summary) + "\n")
	b.WriteString(".SH SYNOPSIS\n")
	manForms(&b, root.synopsis)
	b.WriteString(".SH DESCRIPTION\n")
	manProse(&b, root.description)
	b.WriteString(".SH OPTIONS\n")
	manRows(&b, append(root.shared, root.flags...))
	b.WriteString(".SH COMMANDS\n")
	for _, path := range paths[1:] {
		manCommand(&b, p.page(path))
	}
	b.WriteString(".SH EXIT STATUS\n")
	manRows(&b, root.exits)
	b.WriteString(".SH EXAMPLES\n")
	for _, path := range paths {
		manExamples(&b, p.page(path).examples)
	}
	return b.String()
}

func manCommand(b *strings.Builder, pg page) {
	b.WriteString(`.SS "` + roff(pg.name) + "\"\n" + roff(pg.summary) + ".\n.PP\n")
	manForms(b, pg.synopsis)
	if pg.description != "" {
		b.WriteString(".PP\n")
	}
	manProse(b, pg.description)
	if len(pg.commands) == 0 {
		manRows(b, pg.flags)
	}
	if len(pg.ownExits) > 0 {
		b.WriteString(".PP\nExit status:\n")
		manRows(b, pg.ownExits)
	}
}

func manForms(b *strings.Builder, forms []string) {
	b.WriteString(".nf\n")
	for _, form := range forms {
		b.WriteString(roff(form) + "\n")
	}
	b.WriteString(".fi\n")
}

func manProse(b *strings.Builder, text string) {
	if text == "" {
		return
	}
	for i, paragraph := range strings.Split(text, "\n\n") {
		if i > 0 {
			b.WriteString(".PP\n")
		}
		b.WriteString(roff(strings.Join(strings.Fields(paragraph), " ")) + "\n")
	}
}

func manRows(b *strings.Builder, rows []row) {
	for _, r := range rows {
		b.WriteString(".TP\n" + `\fB` + roff(r.term) + `\fR` + "\n" + roff(r.text) + "\n")
	}
}

func manExamples(b *strings.Builder, examples []string) {
	for _, example := range examples {
		b.WriteString(".PP\n.nf\n")
		for _, line := range strings.Split(example, "\n") {
			b.WriteString(roff(line) + "\n")
		}
		b.WriteString(".fi\n")
	}
}

// roff escapes a line of text for troff: the escape character, the dash, which
// must stay an ASCII dash to be copied, the quote, and what begins a request.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, `-`, `\-`, `"`, `\(dq`, `'`, `\(aq`, "`", `\(ga`, `^`, `\(ha`, `~`,
		`\(ti`).Replace(s)
	if strings.HasPrefix(s, ".") {
		s = `\&` + s
	}
	return s
}
