package cliapp

import (
	"cmp"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// line is a command line that was checked against the command tree.
type line struct {
	path  []*Command // from the root to the command meant
	words []string   // the same line in canonical form, see arrangeWords
	asks  request
}

// request is the kind of answer that a command line asks for.
type request int

const (
	toRun request = iota
	forHelp
	forVersion
)

// meantCommand returns the command the line means.
func (l line) meantCommand() *Command { return l.path[len(l.path)-1] }

// arranger reads the words of a command line from left to right.
type arranger struct {
	program *Program
	path    []*Command
	rest    []string // words not yet read
	words   []string // canonical form of the words that were read, without the arguments
	given   []string // names of the flags given to the current command
	args    []string
	former  []string // words behind the first argument, if a command of its name was there once
	asks    request
}

// arrangeWords finds the command meant by the words and brings the line into the
// form that can be read in one way only: before each command its flags, as
// --name=value; then "--"; then the arguments. Flags and arguments may be
// mixed; after a "--" everything is an argument. Values are not looked at.
//
// With an error, the line shows how far the command was understood.
func (p *Program) arrangeWords(words []string) (line, error) {
	a := arranger{program: p, path: []*Command{p.rootCommand()}, rest: words}
	err := a.readWord()
	if err == nil && a.asks == toRun {
		err = a.checkComplete()
	}
	return line{path: a.path, words: append(append(a.words, "--"), a.args...), asks: a.asks}, err
}

func (a *arranger) arrangeCommand() *Command { return a.path[len(a.path)-1] }

func (a *arranger) readWord() error {
	for len(a.rest) > 0 && a.asks == toRun {
		word := a.rest[0]
		a.rest = a.rest[1:]
		switch {
		case word == "--":
			a.args = append(a.args, a.rest...)
			a.rest = nil
		case looksLikeFlag(word):
			if err := a.readFlag(word); err != nil {
				return err
			}
		case a.arrangeCommand().leadsTo(word) && len(a.args) == 0:
			if err := a.descendTo(word); err != nil {
				return err
			}
		default:
			if _, ok := a.program.Moved[a.formerName(word)]; ok && len(a.args)+len(a.given) == 0 {
				a.former = append([]string{}, a.rest...)
			}
			a.args = append(a.args, word)
		}
	}
	return nil
}

// formerName returns the words of a former command below the one that was reached.
func (a *arranger) formerName(word string) string {
	_, below, _ := strings.Cut(pathName(a.path)+" "+word, " ")
	return below
}

// looksLikeFlag reports whether a word is read as a flag. A lone "-" is not: it means standard
// input.
func looksLikeFlag(word string) bool { return len(word) > 1 && word[0] == '-' }

// splitFlag returns the name of a flag without its dashes, and the value behind an equals sign.
func splitFlag(word string) (name, value string, hasValue bool) {
	return strings.Cut(strings.TrimPrefix(word[1:], "-"), "=")
}

func (a *arranger) readFlag(word string) error {
	name, val, hasValue := splitFlag(word)
	switch {
	case hasValue:
	case name == "help" || name == "h":
		a.asks = forHelp
		return nil
	case name == "version" && len(a.path) == 1:
		a.asks = forVersion
		return nil
	}
	if name == "o" || name == "json" && !hasValue {
		name, val, hasValue = a.longForm(name, val, hasValue)
	}
	i := a.arrangeCommand().flagIndex(name)
	if i < 0 {
		return a.unknownFlag(name)
	}
	f := a.arrangeCommand().Flags[i]
	a.given = append(a.given, name)
	dashed := a.program.dashedFlag(name)
	switch {
	case !f.takesValue() && hasValue:
		return Usagef("%s takes no value, found %s", dashed, safetext.Quote(val))
	case !f.takesValue():
		a.words = append(a.words, "--"+name)
		return nil
	case !hasValue && len(a.rest) == 0:
		return Usagef("%s needs a value: %s", dashed, f.valuePlaceholder())
	case !hasValue && looksLikeFlag(a.rest[0]):
		next := safetext.Quote(a.rest[0])
		return Usagef("%s needs a value, but %s follows; if that is the value, write %s=%s", dashed, next, dashed, next)
	case !hasValue:
		val, a.rest = a.rest[0], a.rest[1:]
	}
	a.words = append(a.words, "--"+name+"="+val)
	return nil
}

// longForm returns the flag that a common short form means: --output for -o, and --output=json
// for --json. A flag that the command declares keeps its own meaning.
func (a *arranger) longForm(name, val string, hasValue bool) (string, string, bool) {
	output := a.arrangeCommand().flagIndex("output")
	switch {
	case output < 0 || a.arrangeCommand().flagIndex(name) >= 0:
	case name == "o":
		return "output", val, hasValue
	case slices.Contains(a.arrangeCommand().Flags[output].Choices, name):
		return "output", name, true
	}
	return name, val, hasValue
}

func (a *arranger) unknownFlag(name string) error {
	p := a.program
	dashed := p.dashedFlag(name)
	switch {
	case a.arrangeCommand().Gone[name] != "":
		return Usagef("%s no longer has %s: %s", pathName(a.path), dashed, a.arrangeCommand().Gone[name])
	case len(a.path) > 1 && indexFlag(p.Shared, name) >= 0:
		return Usagef("%s is before the command: %s %s ... %s", dashed, p.Name, dashed, a.arrangeCommand().Name)
	case len(a.path) > 1 && indexFlag(p.Flags, name) >= 0:
		return Usagef("%s is not for %s; it belongs to %s without a command", dashed, pathName(a.path), p.Name)
	}
	names := []string{"help"}
	for _, f := range a.arrangeCommand().Flags {
		names = append(names, f.Name)
	}
	return Usagef("%s has no flag %s%s", pathName(a.path), safetext.Quote(p.dashOf()+name), DidYouMean(name, names))
}

// descendTo goes down to the command named by word.
func (a *arranger) descendTo(word string) error {
	group := a.arrangeCommand()
	i := group.subIndex(word)
	former := a.formerName(word)
	if moved, ok := a.program.Moved[former]; ok && (i < 0 || moved.isFormer(a.rest)) {
		return a.program.movedError(former, a.rest)
	}
	if len(a.path) == 1 {
		switch {
		case i >= 0:
		case word == "help" && len(a.given) == 0:
			a.asks = forHelp
			return a.findCommand()
		case word == "version" && len(a.given) == 0:
			a.asks = forVersion
			return nil
		case a.program.Paths != "" && strings.ContainsAny(word, "./"):
			a.rest = append([]string{word}, a.rest...)
			return a.descendTo(a.program.Paths)
		}
	}
	if i < 0 {
		return unknownCommand(a.path, word)
	}
	for _, name := range a.given {
		if indexFlag(a.program.Flags, name) >= 0 && len(a.path) == 1 {
			return Usagef("%s has no effect before the command %s; give the flags of a command after it",
				a.program.dashedFlag(name), word)
		}
	}
	a.path = append(a.path, group.Commands[i])
	a.words = append(a.words, word)
	return nil
}

// findCommand descends to the command whose help is requested.
func (a *arranger) findCommand() error {
	for _, word := range a.rest {
		i := a.arrangeCommand().subIndex(word)
		if i < 0 {
			return unknownCommand(a.path, word)
		}
		a.path = append(a.path, a.arrangeCommand().Commands[i])
	}
	return nil
}

func unknownCommand(path []*Command, word string) error {
	if word == "help" {
		return Usagef("%s has no command help; write --help after the command", pathName(path))
	}
	return Usagef("%s has no command %s%s", pathName(path), safetext.Quote(word),
		DidYouMean(word, commandNames(path[len(path)-1].Commands)))
}

// checkComplete checks that nothing is missing and nothing left over.
func (a *arranger) checkComplete() error {
	c := a.arrangeCommand()
	least, most := argumentCount(c.Args)
	switch {
	case len(a.args) > most && a.former != nil:
		return a.program.movedError(a.formerName(a.args[0]), a.former)
	case len(a.args) > most:
		return Usagef("unexpected argument %s: %s takes %s", safetext.Quote(a.args[most]), pathName(a.path),
			cmp.Or(c.Args, "no argument"))
	case c.Action == nil:
		return Usagef("%s needs a command: one of %s", pathName(a.path), strings.Join(commandNames(c.Commands), ", "))
	case len(a.args) < least:
		return Usagef("missing argument: %s takes %s", pathName(a.path), cmp.Or(c.Args, "no argument"))
	case slices.Contains(a.args, ""):
		return Usagef("argument %d is empty", slices.Index(a.args, "")+1)
	}
	return a.requiredFlags()
}

func (a *arranger) requiredFlags() error {
	flags := a.arrangeCommand().Flags
	if !a.arrangeCommand().builtin && len(a.path) > 1 {
		flags = slices.Concat(a.program.Shared, flags)
	}
	for _, f := range flags {
		if f.Required && !slices.Contains(a.given, f.Name) {
			return Usagef("%s %s is missing: %s", a.program.dashedFlag(f.Name), f.valuePlaceholder(), f.Usage)
		}
	}
	return nil
}

// argumentCount returns how many arguments a declaration such as "A [B...]" allows.
func argumentCount(decl string) (least, most int) {
	const many = int(^uint(0) >> 1)
	for _, word := range strings.Fields(decl) {
		if !strings.HasPrefix(word, "[") {
			least++
		}
		if most++; strings.Contains(word, "...") {
			return least, many
		}
	}
	return least, most
}
