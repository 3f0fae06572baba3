package cliapp

import (
	"fmt"
	"strings"
)

// Markdown returns the reference of the program: every command with its
// forms, flags and examples.
func (p *Program) Markdown() string {
	var b strings.Builder
	for i, path := range p.paths() {
		pg := p.page(path)
		heading := "#"
		if i > 0 {
			pg.exits, pg.shared = pg.ownExits, nil
			heading = "\n##"
		}
		fmt.Fprintf(&b, "%s %s\n\n%s.\n", heading, pg.name, markdownText(pg.summary))
		markdownCode(&b, pg.synopsis)
		if pg.description != "" {
			b.WriteString("\n" + markdownText(pg.description) + "\n")
		}
		markdownRows(&b, "Command", pg.commands)
		markdownRows(&b, "Flag before the command", pg.shared)
		markdownRows(&b, "Flag", pg.flags)
		markdownRows(&b, "Exit code", pg.exits)
		markdownCode(&b, pg.examples)
	}
	return b.String()
}

func markdownCode(b *strings.Builder, lines []string) {
	if len(lines) == 0 {
		return
	}
	b.WriteString("\n")
	for _, line := range lines {
		b.WriteString("    " + strings.ReplaceAll(line, "\n", "\n    ") + "\n")
	}
}

func markdownRows(b *strings.Builder, title string, rows []row) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(b, "\n| %s | Meaning |\n|---|---|\n", title)
	for _, r := range rows {
		// Inside a table a pipe ends the cell, in a code span too.
		fmt.Fprintf(b, "| `%s` | %s |\n", strings.ReplaceAll(r.term, "|", `\|`), markdownText(r.text))
	}
}

// markdownText escapes what Markdown would read as markup.
func markdownText(s string) string {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", `*`, `\*`, `_`, `\_`, `<`, `\<`, `[`, `\[`, `|`, `\|`).Replace(s)
}
