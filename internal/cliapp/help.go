package cliapp

import (
	"strings"

	"github.com/svc-edge/svc-verify/internal/columns"
)

const (
	helpWidth = 80 // columns of a help page
	termWidth = 26 // a longer term stands on its own line
)

// help returns the help text of a command.
func (p *Program) help(path []*Command) string {
	pg := p.page(path)
	if len(path) > 1 {
		pg.flags = append(pg.flags, row{p.dashed("help"), "Show this help"})
	}
	var b strings.Builder
	lead := pg.name + " - "
	b.WriteString(lead + columns.Wrap(pg.summary, helpWidth, len(lead)) + "\n\nUsage:\n")
	for _, form := range pg.synopsis {
		b.WriteString("  " + columns.Wrap(form, helpWidth, 6) + "\n")
	}
	if pg.description != "" {
		b.WriteString("\n" + trimLines(columns.Wrap(pg.description, helpWidth, 0)) + "\n")
	}
	helpRows(&b, "Commands", pg.commands)
	helpRows(&b, "Flags before the command", pg.shared)
	helpRows(&b, "Flags", pg.flags)
	helpRows(&b, "Exit codes", pg.exits)
	if len(pg.examples) > 0 {
		b.WriteString("\nExamples:\n")
	}
	for _, example := range pg.examples {
		b.WriteString("  " + strings.ReplaceAll(example, "\n", "\n  ") + "\n")
	}
	return b.String()
}

// helpRows writes a titled table of terms.
func helpRows(b *strings.Builder, title string, rows []row) {
	if len(rows) == 0 {
		return
	}
	column := 0
	for _, r := range rows {
		if w := columns.Width(r.term); w <= termWidth {
			column = max(column, w)
		}
	}
	b.WriteString("\n" + title + ":\n")
	for _, r := range rows {
		b.WriteString("  " + r.term)
		gap := column - columns.Width(r.term)
		if gap < 0 {
			b.WriteString("\n  ")
			gap = column
		}
		b.WriteString(strings.Repeat(" ", gap+2) + columns.Wrap(r.text, helpWidth, column+4) + "\n")
	}
}

// trimLines removes the spaces at the end of each line.
func trimLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.Join(lines, "\n")
}
