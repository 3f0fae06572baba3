package cliapp

import (
	"embed"
	"fmt"
	"io"
	"slices"
	"strings"
)

// shells has the scripts, with PROGRAM and FUNCTION for the names.
//
//go:embed shells
var shells embed.FS

// completionCommand prints scripts that ask the program what may follow. They ask by the
// same command, with the words of the line so far behind "--", so that no word on a command
// line has a hidden meaning.
func (p *Program) completionCommand() *Command {
	group := &Command{Name: "completion", Summary: "Print a shell completion script", builtin: true}
	for _, shell := range [][2]string{
		{"bash", "Source it from ~/.bashrc."},
		{"zsh", "Save it as _" + p.Name + " in a directory of fpath."},
		{"fish", "Save it as " + p.Name + ".fish in ~/.config/fish/completions."},
	} {
		group.Commands = append(group.Commands, &Command{
			Name:    shell[0],
			Summary: "Print the completion script for " + shell[0],
			Description: "Prints a script for " + shell[0] + ". " + shell[1] + " With the words of a line, it prints what " +
				"may follow them.",
			Args:      "[WORD...]",
			ExitCodes: printed,
			builtin:   true,
			Action: func(c *Context) (int, error) {
				if len(c.Args) > 0 {
					_, err := io.WriteString(c.Stdout, p.candidates(c.Args[1:]))
					return 0, err
				}
				script, err := shells.ReadFile("shells/completion." + shell[0])
				if err != nil {
					return 0, err
				}
				names := strings.NewReplacer("FUNCTION", "_"+strings.ReplaceAll(p.Name, "-", "_"), "PROGRAM", p.Name)
				_, err = names.WriteString(c.Stdout, string(script))
				return 0, err
			},
		})
	}
	return group
}

// candidates returns what may follow the words, one a line, each with a tab and what it is:
// the choices of a flag's value, or commands and flags. Where files may follow, it is empty
// but for flags.
func (p *Program) candidates(words []string) string {
	c, value := p.root(), (*Flag)(nil)
	for _, word := range words {
		name, _, whole := strings.Cut(strings.TrimLeft(word, "-"), "=")
		switch {
		case value != nil && word == "=": // bash makes it a word of its own
		case value != nil:
			value = nil
		case word == "--":
			return ""
		case looksLikeFlag(word):
			if i := c.flag(name); i >= 0 && !whole && c.Flags[i].takesValue() {
				value = &c.Flags[i]
			}
		default:
			if i := c.sub(word); i >= 0 {
				c = c.Commands[i]
			}
		}
	}
	var b strings.Builder
	if value != nil {
		for _, choice := range value.Choices {
			fmt.Fprintf(&b, "%s\t%s\n", choice, value.Usage)
		}
		return b.String()
	}
	for _, sub := range c.Commands {
		fmt.Fprintf(&b, "%s\t%s\n", sub.Name, sub.Summary)
	}
	for _, f := range append(slices.Clip(c.Flags), Flag{Name: "help", Usage: "Show help"}) {
		fmt.Fprintf(&b, "%s\t%s\n", p.dashed(f.Name), f.Usage)
	}
	return b.String()
}

// flag returns the index of a flag of the command, or -1.
func (c *Command) flag(name string) int { return indexFlag(c.Flags, name) }

// indexFlag returns the index of a flag, or -1.
func indexFlag(all []Flag, name string) int {
	return slices.IndexFunc(all, func(f Flag) bool { return f.Name == name })
}

// sub returns the index of a command of the group, or -1.
func (c *Command) sub(name string) int {
	return slices.IndexFunc(c.Commands, func(sub *Command) bool { return sub.Name == name })
}
