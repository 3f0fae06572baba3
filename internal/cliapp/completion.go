package cliapp

import (
	"embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// shells has the scripts, with PROGRAM and FUNCTION for the names.
//
//go:embed shells
var shells embed.FS

// shellNames are the shells that have a script.
var shellNames = []string{"bash", "zsh", "fish"}

// completionCommand prints scripts that ask the program for the words that may follow. They
// ask by the same command, with the words of the line so far behind "--", so that no word on a
// command line has a hidden meaning.
func (p *Program) completionCommand() *Command {
	return &Command{
		Name:    "completion",
		Summary: "Print a completion script for bash, zsh or fish",
		Description: "Prints a script. For bash, source it from ~/.bashrc. For zsh, save it as _" + p.Name +
			" in a directory of fpath, for fish as " + p.Name + ".fish in ~/.config/fish/completions. With the words of a " +
			"line, it prints what may follow them.",
		Args:      "SHELL [WORD...]",
		ExitCodes: printed,
		builtin:   true,
		Action: func(c *Context) (int, error) {
			script, err := shells.ReadFile("shells/completion." + c.Args[0])
			text := string(script)
			switch {
			case err != nil:
				return 0, Usagef("no script for %s: the shells are %s", safetext.Quote(c.Args[0]), strings.Join(shellNames, ", "))
			case len(c.Args) > 1:
				text = p.completionsOf(c.Args[2:])
			default:
				names := strings.NewReplacer("FUNCTION", "_"+strings.ReplaceAll(p.Name, "-", "_"), "PROGRAM", p.Name)
				text = names.Replace(text)
			}
			_, err = io.WriteString(c.Stdout, text)
			return 0, err
		},
	}
}

// completionsOf returns the words that may follow, one a line, each with a tab and a
// description: the choices of a flag's value, or commands and flags. Where files may follow,
// it is empty but for flags.
func (p *Program) completionsOf(words []string) string {
	c, value := p.rootCommand(), (*Flag)(nil)
	for _, word := range words {
		name, _, whole := strings.Cut(strings.TrimLeft(word, "-"), "=")
		switch {
		case value != nil && word == "=": // bash makes it a word of its own
		case value != nil:
			value = nil
		case word == "--":
			return ""
		case looksLikeFlag(word):
			if i := c.flagIndex(name); i >= 0 && !whole && c.Flags[i].takesValue() {
				value = &c.Flags[i]
			}
		default:
			if i := c.subIndex(word); i >= 0 {
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
	if c.builtin && c.Name == "completion" {
		b.WriteString(strings.Join(shellNames, "\tIts script\n") + "\tIts script\n")
	}
	for _, sub := range c.Commands {
		fmt.Fprintf(&b, "%s\t%s\n", sub.Name, sub.Summary)
	}
	for _, f := range append(slices.Clip(c.Flags), Flag{Name: "help", Usage: "Show help"}) {
		fmt.Fprintf(&b, "%s\t%s\n", p.dashedFlag(f.Name), f.Usage)
	}
	return b.String()
}

// flagIndex returns the index of a flag of the command, or -1.
func (c *Command) flagIndex(name string) int { return indexFlag(c.Flags, name) }

// indexFlag returns the index of a flag, or -1.
func indexFlag(all []Flag, name string) int {
	return slices.IndexFunc(all, func(f Flag) bool { return f.Name == name })
}

// subIndex returns the index of a command of the group, or -1.
func (c *Command) subIndex(name string) int {
	return slices.IndexFunc(c.Commands, func(sub *Command) bool { return sub.Name == name })
}

// leadsTo reports whether a word names a command of the group. In a group with arguments of its own
// another word is an argument.
func (c *Command) leadsTo(word string) bool {
	return c.subIndex(word) >= 0 || len(c.Commands) > 0 && c.Args == ""
}
