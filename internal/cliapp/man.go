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
			_, err := io.WriteString(c.Stdout, p.manualPage())
			return 0, err
		},
	}
}

// printed are the exit codes of commands that print something about the program.
var printed = []ExitCode{{Code: 0, Meaning: "done"}}

// manualPage returns the manual page of the program, section 1. It carries no
// date, so that the same version always gives the same bytes.
func (p *Program) manualPage() string { return renderTemplate("man", p.allPages()) }

// escapeRoff escapes a line of text for troff: the escape character, the dash, which must stay
// an ASCII dash to be copied, the quote, and the dot that begins a request.
func escapeRoff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, `-`, `\-`, `"`, `\(dq`, `'`, `\(aq`, "`", `\(ga`, `^`, `\(ha`, `~`,
		`\(ti`).Replace(s)
	if strings.HasPrefix(s, ".") {
		s = `\&` + s
	}
	return s
}
