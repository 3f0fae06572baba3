package cliapp

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// page is the documentation of one command. Help, manual page and reference are renderings of
// it.
type page struct {
	Name        string // the words that call the command
	Version     string // of the program
	Summary     string
	Synopsis    []string
	Description string
	Commands    []row
	Shared      []row // flags that stand before the command
	Flags       []row
	Exits       []row
	OwnExits    []row // the rows of Exits that the command itself explains
	Examples    []string
}

// row is a term and its meaning.
type row struct{ Term, Text string }

func (p *Program) pageOf(path []*Command) page {
	c := path[len(path)-1]
	pg := page{
		Name:        pathName(path),
		Version:     p.Version,
		Summary:     c.Summary,
		Synopsis:    p.synopsisForms(path),
		Description: c.Description,
		Shared:      p.flagRows(p.Shared),
		Flags:       p.flagRows(p.ownFlags(path)),
		Exits:       exitRows(p.exitCodes(c)),
		OwnExits:    exitRows(slices.SortedFunc(slices.Values(c.ExitCodes), byCode)),
		Examples:    c.Examples,
	}
	if len(path) == 1 {
		pg.Flags = append(pg.Flags,
			row{p.dashedFlag("help"), "Show help; after a command, its help"},
			row{p.dashedFlag("version"), "Show the version"})
	}
	for _, sub := range c.Commands {
		pg.Commands = append(pg.Commands, row{sub.Name, sub.Summary})
	}
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

// ownFlags returns the flags of a command that do not stand before it.
func (p *Program) ownFlags(path []*Command) []Flag {
	if len(path) == 1 {
		return p.Flags
	}
	return path[len(path)-1].Flags
}

// synopsisForms returns the forms in which the command can be called.
func (p *Program) synopsisForms(path []*Command) []string {
	c := path[len(path)-1]
	front := pathName(path)
	if len(p.Shared) > 0 {
		front = strings.Replace(front, p.Name, p.Name+" [flags]", 1)
	}
	var forms []string
	if c.Action != nil {
		forms = append(forms, strings.TrimSpace(front+p.flagSynopsis(p.ownFlags(path))+" "+c.Args))
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
			text += " " + p.dashedFlag(f.Name) + " " + f.valuePlaceholder()
		} else {
			more = " [flags]"
		}
	}
	return text + more
}

func (p *Program) flagRows(flags []Flag) []row {
	var rows []row
	for _, f := range flags {
		rows = append(rows, row{strings.TrimSpace(p.dashedFlag(f.Name) + " " + f.valuePlaceholder()), f.explainUsage()})
	}
	return rows
}

// explainUsage returns the usage text with additions from the declaration.
func (f Flag) explainUsage() string {
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
