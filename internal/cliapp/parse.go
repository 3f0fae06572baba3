package cliapp

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Parse reads the program that a text declares, and gives its commands their actions, by
// their words without the name of the program. It is strict: a fault is a mistake in the
// program. The form of the text is described in cmd/svc-verify/commands.txt.
func Parse(text string, actions map[string]Action) (*Program, error) {
	d := &declaration{program: &Program{}, actions: actions, shared: map[string][]Flag{},
		commands: map[string]*Command{}}
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); {
		line, first := lines[i], i+1
		for i++; i < len(lines) && strings.HasPrefix(lines[i], " "); i++ {
			if strings.HasSuffix(line, `\`) {
				line += "\n" + lines[i]
			} else {
				line += " " + strings.TrimSpace(lines[i])
			}
		}
		if line == "" || line[0] == '#' {
			continue
		}
		if err := d.readLine(line); err != nil {
			return nil, fmt.Errorf("line %d: %w", first, err)
		}
	}
	for words := range actions {
		if d.commands[words] == nil {
			return nil, fmt.Errorf("there is an action for %q, and no such command", words)
		}
	}
	return d.program, nil
}

// declaration is the parsed form of a text.
type declaration struct {
	program  *Program
	actions  map[string]Action
	shared   map[string][]Flag   // by the names of "$name:"
	commands map[string]*Command // by their words; the program itself is ""
	command  *Command            // the one that lines are about
}

// readLine reads one line.
func (d *declaration) readLine(line string) error {
	if words, ok := strings.CutPrefix(line, "["); ok {
		return d.beginCommand(words)
	}
	key, value, found := strings.Cut(line, ": ")
	switch name, shared := strings.CutPrefix(key, "$"); {
	case !found:
		return fmt.Errorf("%s has no value", key)
	case shared && d.shared[name] != nil:
		return fmt.Errorf("%s occurs twice", key)
	case shared:
		flags, err := d.readFlags(value)
		d.shared[name] = flags
		return err
	case d.command == nil:
		return fmt.Errorf("%s is before the first command", key)
	}
	return d.setCommand(key, value, line)
}

// beginCommand begins a command; the first one is the program.
func (d *declaration) beginCommand(line string) error {
	words, summary, _ := strings.Cut(line, "] ")
	name := words[strings.LastIndex(words, " ")+1:]
	group, ok := d.commands[strings.TrimSuffix(strings.TrimSuffix(words, name), " ")]
	switch {
	case d.command == nil:
		d.program.Name, d.program.Summary, words = name, summary, ""
		d.program.Action = d.actions[""]
	case !ok || d.commands[words] != nil:
		return fmt.Errorf("%s has no group, or occurs twice", words)
	}
	d.command = &Command{Name: name, Summary: summary, Action: d.actions[words]}
	d.commands[words] = d.command
	switch group {
	case nil:
	case d.commands[""]:
		d.program.Commands = append(d.program.Commands, d.command)
	default:
		group.Commands = append(group.Commands, d.command)
	}
	return nil
}

// setCommand sets a property of the command from a line.
func (d *declaration) setCommand(key, value, line string) (err error) {
	c := d.command
	switch word, number, _ := strings.Cut(key, " "); {
	case key == "args" && c.Args == "":
		c.Args = value
	case key == "about":
		c.Description = strings.TrimPrefix(c.Description+"\n\n"+value, "\n\n")
	case word == "exit":
		e := ExitCode{Meaning: value}
		e.Code, err = strconv.Atoi(number)
		c.ExitCodes = append(c.ExitCodes, e)
	case key == "paths" && c == d.commands[""]:
		d.program.Paths = value
	case word == "moved":
		d.program.Moved, err = addMoved(d.program.Moved, number, value)
	case word == "gone":
		if c.Gone == nil {
			c.Gone = map[string]string{}
		}
		c.Gone[strings.TrimPrefix(number, "--")] = value
	case key == "example":
		c.Examples = append(c.Examples, value)
	case key == "flags", strings.HasPrefix(key, "--"):
		var flags []Flag
		flags, err = d.readFlags(strings.TrimPrefix(line, "flags: "))
		c.Flags = append(c.Flags, flags...)
	default:
		return fmt.Errorf("%s is unknown, or occurs twice", key)
	}
	if p := d.program; c == d.commands[""] {
		p.Description, p.ExitCodes, p.Examples, p.Flags = c.Description, c.ExitCodes, c.Examples, c.Flags
	}
	return err
}

// addMoved reads a former command: the words of the new one, and its parts. A word in capitals is a
// former flag that became an argument or, behind a flag, has that name now; "$1" behind a flag is
// the first argument, which became that flag; other words stay.
func addMoved(all map[string]Moved, former, text string) (map[string]Moved, error) {
	if all == nil {
		all = map[string]Moved{}
	}
	m, words := Moved{}, ""
	for word := range strings.FieldsSeq(text) {
		number, isArgument := strings.CutPrefix(word, "$")
		switch isFlag := strings.HasPrefix(word, "--"); {
		case isArgument:
			m.Parts, words = append(m.Parts, MovedPart{words, number}), ""
		case word != strings.ToLower(word):
			m.Parts, words = append(m.Parts, MovedPart{words, strings.ToLower(word)}), ""
		case len(m.Parts) == 0 && words == "" && !isFlag:
			m.To = strings.TrimPrefix(m.To+" "+word, " ")
		default:
			words = strings.TrimPrefix(words+" "+word, " ")
		}
	}
	if words != "" {
		m.Parts = append(m.Parts, MovedPart{Words: words})
	}
	if _, twice := all[former]; twice || former == "" || m.To == "" {
		return nil, fmt.Errorf("the former command %q has no name, no command in its place, or occurs twice", former)
	}
	all[former] = m
	return all, nil
}

// readFlags reads a flag, or a list of names of flags.
func (d *declaration) readFlags(text string) (all []Flag, err error) {
	if strings.HasPrefix(text, "--") {
		f, err := parseFlag(text)
		return []Flag{f}, err
	}
	for name := range strings.FieldsSeq(text) {
		flags, ok := d.shared[name]
		if !ok {
			return nil, fmt.Errorf("there is no flag $%s", name)
		}
		all = append(all, flags...)
	}
	return all, nil
}

// kinds are the kinds of flags by their words; a flag without one is Text.
var kinds = map[string]Kind{"list": List, "number": Number, "duration": Duration, "seconds": Seconds, "time": Time,
	"moment": Moment, "switch": Switch}

// parseFlag reads the declaration of a flag.
func parseFlag(text string) (f Flag, err error) {
	decl, usage, _ := strings.Cut(text, ": ")
	decl, f.Default, _ = strings.Cut(decl, " default=")
	words := strings.Fields(decl)
	f.Name, f.Usage = strings.TrimPrefix(words[0], "--"), usage
	for _, word := range words[1:] {
		kind, isKind := kinds[word]
		switch key, value, _ := strings.Cut(word, "="); {
		case isKind:
			f.Kind = kind
		case word == "required":
			f.Required = true
		case key == "least":
			f.Least = value
		case key == "most":
			f.Most = value
		case key == "one-of":
			f.Choices = append(f.Choices, strings.Split(value, "|")...)
		case f.Value == "" && word != strings.ToLower(word):
			f.Value = word
		default:
			err = fmt.Errorf("flag %s: %s is unknown, or one placeholder too many", f.Name, word)
		}
	}
	if f.isTime() {
		f.Value = "TIME"
	}
	f.Choices = slices.Clip(f.Choices)
	return f, err
}
