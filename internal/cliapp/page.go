package cliapp

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// page is what there is to say about one command. Help, manual page and
// reference are renderings of it.
type page struct {
	name        string // the words that call the command
	summary     string
	synopsis    []string
	description string
	commands    []row
	shared      []row // flags that stand before the command
	flags       []row
	exits       []row
	ownExits    []row // those of exits that the command itself explains
	examples    []string
}

// row is a term and what it means.
type row struct{ term, text string }

func (p *Program) page(path []*Command) page {
	c := path[len(path)-1]
	own := c.Flags
	if len(path) == 1 {
		own = p.Flags
	}
	pg := page{
		name:        pathName(path),
		summary:     c.Summary,
		synopsis:    p.synopsis(path),
		description: c.Description,
		shared:      p.flagRows(p.Shared),
		flags:       p.flagRows(own),
		examples:    c.Examples,
	}
	if len(path) == 1 {
		pg.flags = append(pg.flags,
			row{p.dashed("help"), "Show help; after a command, its help"},
			row{p.dashed("version"), "Show the version"})
	}
	for _, sub := range c.Commands {
		pg.commands = append(pg.commands, row{sub.Name, sub.Summary})
	}
	pg.ownExits = exitRows(slices.SortedFunc(slices.Values(c.ExitCodes), byCode))
	pg.exits = exitRows(p.exitCodes(c))
	return pg
}

func exitRows(codes []ExitCode) []row {
	var rows []row
	for _, e := range codes {
		rows = append(rows, row{fmt.Sprint(e.Code), e.Meaning})
	}
	return rows
}

// exitCodes returns the exit codes of a command, ascending.
func (p *Program) exitCodes(c *Command) []ExitCode {
	if len(c.ExitCodes) == 0 {
		return p.ExitCodes
	}
	all := slices.Clone(c.ExitCodes)
	for _, e := range p.ExitCodes {
		if e.Code == ExitFailure && !slices.ContainsFunc(all, func(own ExitCode) bool { return own.Code == ExitFailure }) {
			all = append(all, e)
		}
	}
	slices.SortFunc(all, byCode)
	return all
}

func byCode(a, b ExitCode) int { return cmp.Compare(a.Code, b.Code) }

// synopsis returns the forms in which the command can be called.
func (p *Program) synopsis(path []*Command) []string {
	c := path[len(path)-1]
	front := p.Name
	if len(p.Shared) > 0 {
		front += " [flags]"
	}
	for _, sub := range path[1:] {
		front += " " + sub.Name
	}
	var forms []string
	if c.Action != nil {
		own := c.Flags
		if len(path) == 1 {
			own = p.Flags
		}
		forms = append(forms, strings.TrimSpace(front+p.flagSynopsis(own)+" "+c.Args))
	}
	if len(c.Commands) > 0 {
		forms = append(forms, front+" COMMAND ...")
	}
	return forms
}

// flagSynopsis spells out the required flags and hints at the others.
func (p *Program) flagSynopsis(flags []Flag) string {
	var text, more string
	for _, f := range flags {
		if f.Required {
			text += " " + p.dashed(f.Name) + " " + f.placeholder()
		} else {
			more = " [flags]"
		}
	}
	return text + more
}

func (p *Program) flagRows(flags []Flag) []row {
	var rows []row
	for _, f := range flags {
		rows = append(rows, row{strings.TrimSpace(p.dashed(f.Name) + " " + f.placeholder()), f.explain()})
	}
	return rows
}

// explain returns the usage text with what the declaration adds to it.
func (f Flag) explain() string {
	text := f.Usage
	if f.Value != "" && len(f.Choices) > 0 {
		text += ": " + strings.Join(f.Choices, ", ")
	}
	switch {
	case f.Required:
		text += " (required)"
	case f.Kind == List:
		text += " (may be repeated)"
	case f.Default != "":
		text += " (default " + f.Default + ")"
	}
	return text
}
