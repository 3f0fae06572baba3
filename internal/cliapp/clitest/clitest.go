// Package clitest tries programs with command lines that break a rule. It judges their
// messages. Only tests use it.
package clitest

import (
	"regexp"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/internal/cliapp"
)

// slips are the output of package fmt for values that are no text, and the results of naive
// plurals. No sentence for people has any of it.
var slips = regexp.MustCompile(`<nil>|%!|\bmap\[|&\{|\["|\w" "\w|\[\]string|interface *\{\}|\b0xc000|\*[a-z]+\.[A-Z]|runtime error|sss|\w(?:ch|sh|x)s\b|[^aeiou]ys\b`)

// Slip returns the first piece of Go's own notation in a text, or of a wrong
// plural, empty if there is none.
func Slip(text string) string { return slips.FindString(text) }

// strange contains values that suit hardly any flag, and that could garble a message.
var strange = []string{"", "0", "-1", "1.5", "99999999999999999999", "%d", "a b", "\x1b[31m", "/nonexistent/file",
	"/dev/null", "1ns"}

// BadLines returns command lines that mostly break a rule of the program: each command with
// too little, with too much, and with strange values for each flag and argument. good are
// values for flags that a command cannot do without.
func BadLines(p *cliapp.Program, good map[string]string) [][]string {
	b := &breaker{good: good, shared: p.Shared}
	b.lines = [][]string{{}, {"none"}, {"--none"}, {""}, {"%d"}}
	b.command(nil, p.Flags, "")
	walkCommands(nil, p.Commands, func(path []string, c *cliapp.Command) {
		b.lines = append(b.lines, path)
		if c.Action == nil {
			b.lines = append(b.lines, append(slices.Clone(path), "none"))
			return
		}
		b.command(path, c.Flags, c.Args)
	})
	return b.lines
}

// breaker collects lines.
type breaker struct {
	good   map[string]string
	shared []cliapp.Flag
	lines  [][]string
}

// walkCommands calls a function for every command, with its words.
func walkCommands(path []string, commands []*cliapp.Command, visit func([]string, *cliapp.Command)) {
	for _, c := range commands {
		here := append(slices.Clone(path), c.Name)
		visit(here, c)
		walkCommands(here, c.Commands, visit)
	}
}

// command adds the lines of one command.
func (b *breaker) command(path []string, flags []cliapp.Flag, decl string) {
	args := strings.Fields(decl)
	for i := range args {
		args[i] = "x"
	}
	add := func(odd cliapp.Flag, words ...[]string) {
		shared := b.needed(b.shared, odd.Name)
		if slices.ContainsFunc(b.shared, func(f cliapp.Flag) bool { return f.Name == odd.Name }) {
			shared, words = append(shared, words[0]...), words[1:]
		}
		line := slices.Concat(shared, path, b.needed(flags, odd.Name))
		b.lines = append(b.lines, append(line, slices.Concat(words...)...))
	}
	add(cliapp.Flag{}, args, []string{"more", "and", "more"})
	add(cliapp.Flag{}, []string{"--none"})
	for _, f := range slices.Concat(b.shared, flags) {
		add(f, []string{"--" + f.Name}, args)
		for _, value := range strange {
			if f.Kind != cliapp.Switch {
				add(f, []string{"--" + f.Name + "=" + value}, args)
			}
		}
	}
	for i := range args {
		for _, value := range strange {
			odd := slices.Clone(args)
			odd[i] = value
			add(cliapp.Flag{}, []string{"--"}, odd)
		}
	}
}

// needed are the flags that a command cannot do without, with values, but for
// one.
func (b *breaker) needed(flags []cliapp.Flag, but string) []string {
	var words []string
	for _, f := range flags {
		value, ok := b.good[f.Name]
		if !ok && f.Required {
			value = "x"
		}
		if f.Name != but && value != "" {
			words = append(words, "--"+f.Name, value)
		}
	}
	return words
}
