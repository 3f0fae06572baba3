package cliapp

import (
	"slices"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Moved is the command line that replaces a former one: of a command that is gone, or that
// took its first argument with a flag.
type Moved struct {
	To    string // the words of the command, such as "show gaps"
	Parts []MovedPart
}

// MovedPart is a part of the line after the words of the command. It is left out if its value
// is not given.
type MovedPart struct {
	Words string // such as "--status any"; before the value, if there is one
	From  string // whose value follows: a former flag, or the number of an argument; "" for none
}

// partOf returns the index of the part that has the value of a former flag or argument, or -1.
func (m Moved) partOf(name string) int {
	return slices.IndexFunc(m.Parts, func(p MovedPart) bool { return name != "" && p.From == name })
}

// isFormer reports whether words have a flag that is something else now.
func (m Moved) isFormer(words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool {
		if !looksLikeFlag(word) {
			return false
		}
		name, _, _ := splitFlag(word)
		return m.partOf(name) >= 0
	})
}

// movedError returns the error that names the line to type instead of a former command with these words.
func (p *Program) movedError(former string, words []string) error {
	m := p.Moved[former]
	values, rest := m.divideWords(words, p.commandOf(m.To))
	line := []string{p.Name, m.To}
	for i, part := range m.Parts {
		if part.From != "" && values[i] == "" {
			continue
		}
		line = append(line, part.Words, values[i])
	}
	line = slices.DeleteFunc(append(line, rest...), func(s string) bool { return s == "" })
	return Usagef("this form of %s is gone; type: %s", former, strings.Join(line, " "))
}

// divideWords returns the values of the parts, and the other words, all as a shell reads them.
// The flags belong to the command that replaces the former one.
func (m Moved) divideWords(words []string, c *Command) (values, rest []string) {
	values = make([]string, len(m.Parts))
	for i, n := 0, 0; i < len(words); i++ {
		quoted := safetext.ShellWord(words[i])
		if !looksLikeFlag(words[i]) {
			n++
			if at := m.partOf(strconv.Itoa(n)); at >= 0 {
				values[at] = quoted
			} else {
				rest = append(rest, quoted)
			}
			continue
		}
		name, value, hasValue := splitFlag(words[i])
		at, flag := m.partOf(name), c.flagIndex(name)
		if hasValue {
			value = safetext.ShellWord(value)
		} else if i+1 < len(words) && (at >= 0 || name == "o" || flag >= 0 && c.Flags[flag].takesValue()) {
			i++
			value = safetext.ShellWord(words[i])
		}
		switch {
		case at >= 0:
			values[at] = value
		case hasValue:
			rest = append(rest, quoted)
		default:
			rest = append(rest, quoted, value)
		}
	}
	return values, rest
}

// commandOf returns the command of these words; an empty one if there is none.
func (p *Program) commandOf(words string) *Command {
	c := p.rootCommand()
	for word := range strings.FieldsSeq(words) {
		i := c.subIndex(word)
		if i < 0 {
			return &Command{}
		}
		c = c.Commands[i]
	}
	return c
}
