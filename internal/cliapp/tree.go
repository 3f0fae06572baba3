package cliapp

import (
	"cmp"
	"slices"
	"strings"
)

// rootCommand returns the program as the root of its command tree, with the commands
// that every program has.
func (p *Program) rootCommand() *Command {
	return &Command{
		Name:        p.Name,
		Summary:     p.Summary,
		Description: p.Description,
		Examples:    p.Examples,
		Flags:       slices.Concat(p.Shared, p.Flags),
		Action:      p.Action,
		Commands:    append(slices.Clone(p.Commands), p.completionCommand(), p.manCommand()),
	}
}

// dashOf returns the prefix that the help writes before the name of a flag.
func (p *Program) dashOf() string { return cmp.Or(p.Dash, "--") }

// dashedFlag returns a flag as the help writes it.
func (p *Program) dashedFlag(name string) string { return p.dashOf() + name }

// pathName returns the words that call a command, such as "svc-verify verify".
func pathName(path []*Command) string { return strings.Join(commandNames(path), " ") }

// commandNames returns the names of commands.
func commandNames(all []*Command) []string {
	names := make([]string, len(all))
	for i, c := range all {
		names[i] = c.Name
	}
	return names
}

// commandPaths returns the path of every command, parents first, in declared order.
func (p *Program) commandPaths() [][]*Command {
	list := [][]*Command{{p.rootCommand()}}
	for i := 0; i < len(list); i++ {
		path := list[i]
		var below [][]*Command
		for _, c := range path[len(path)-1].Commands {
			below = append(below, append(slices.Clip(path), c))
		}
		list = slices.Insert(list, i+1, below...)
	}
	return list
}
