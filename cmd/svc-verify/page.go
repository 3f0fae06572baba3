package main

import (
	"io"
	"os"

	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/page"
)

// colorFlag chooses whether a page has colours.
func colorFlag() cliapp.Flag {
	return cliapp.Flag{Name: "color", Choices: []string{"auto", "always", "never"}, Default: "auto",
		Usage: "Colour verdicts and severities; auto does on a terminal, unless NO_COLOR is set"}
}

// sourcesFlag unfolds a list.
func sourcesFlag() cliapp.Flag {
	return cliapp.Flag{Name: "sources", Kind: cliapp.Switch, Usage: "In text, list every source, not just the first ones"}
}

// writePage writes a page to standard output, in the colours that the flags of
// the command ask for. On a terminal the verdict is also the last line, where the
// eye is. Nothing else depends on NO_COLOR (https://no-color.org).
func writePage(c *cliapp.Context, p *page.Page) error {
	if cliapp.IsTerminal(c.Stdout) {
		p.Conclude()
	}
	return writePart(c, p)
}

// writePart writes a page that is not the last.
func writePart(c *cliapp.Context, p *page.Page) error {
	text := p.String()
	if choice := c.Text("color"); choice == "always" || choice == "auto" && cliapp.IsTerminal(c.Stdout) && os.Getenv("NO_COLOR") == "" {
		text = p.Painted()
	}
	_, err := io.WriteString(c.Stdout, text)
	return err
}
