package cliapp

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/internal/columns"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Check reports faults in the declaration of the program. It is for
// the tests of a program: Run relies on it, and it makes sure that
//
//   - names and choices are plain words, so they need no quoting in a shell;
//   - no name is declared twice or reserved, and every default is valid;
//   - a command acts or is a group, and both only if it has arguments;
//   - exit codes are explained in their list alone, each once, and a command has
//     none that the program has not;
//   - everything is explained, and no line of help is wider than 80 columns;
//   - every example is a command line that the program accepts.
func (p *Program) Check() error {
	errs := []error{p.checkWidth()}
	for _, path := range p.commandPaths() {
		c := path[len(path)-1]
		errs = append(errs, checkCommand(c, len(path) == 1), p.checkExitCodes(c))
		names := map[string]bool{"help": true, "h": true, "version": true}
		for _, f := range c.Flags {
			errs = append(errs, checkFlag(f), isUnique(names, f.Name))
		}
		if len(path) > 1 {
			for _, f := range p.Shared {
				errs = append(errs, isUnique(names, f.Name))
			}
		}
		for _, example := range c.Examples {
			errs = append(errs, p.checkExample(example))
		}
	}
	return errors.Join(errs...)
}

var plainWord = safetext.Pattern(`^[a-z0-9][a-z0-9-]*$`)

func isUnique(seen map[string]bool, name string) error {
	if seen[name] {
		return fmt.Errorf("name %s is reserved or declared twice", name)
	}
	seen[name] = true
	return nil
}

func checkCommand(c *Command, isRoot bool) error {
	names := map[string]bool{"help": true}
	for _, sub := range c.Commands {
		if err := isUnique(names, sub.Name); err != nil {
			return err
		}
	}
	switch {
	case !plainWord().MatchString(c.Name):
		return fmt.Errorf("command name %q is not a plain word", c.Name)
	case c.Summary == "" || strings.HasSuffix(c.Summary, "."):
		return fmt.Errorf("command %s: the summary is empty or ends with a period", c.Name)
	case !isRoot && (c.Action == nil) == (len(c.Commands) == 0) && (c.Action == nil || c.Args == ""):
		return fmt.Errorf("command %s must have either an action or commands", c.Name)
	case c.Action == nil && !isRoot && (len(c.Flags) > 0 || c.Args != ""):
		return fmt.Errorf("command %s is a group and can have no flags or arguments", c.Name)
	}
	return nil
}

func (p *Program) checkExitCodes(c *Command) error {
	if strings.Contains(strings.ToLower(c.Description), "exit code") {
		return fmt.Errorf("command %s: the description speaks of exit codes, which have a list", c.Name)
	}
	seen := map[int]bool{}
	for _, e := range p.exitCodes(c) {
		isOne := func(of ExitCode) bool { return of.Code == e.Code }
		switch {
		case e.Meaning == "" || strings.HasSuffix(e.Meaning, "."):
			return fmt.Errorf("command %s: the meaning of exit code %d is empty or ends with a period", c.Name, e.Code)
		case seen[e.Code]:
			return fmt.Errorf("command %s: exit code %d is listed twice", c.Name, e.Code)
		case !slices.ContainsFunc(p.ExitCodes, isOne):
			return fmt.Errorf("command %s: the program has no exit code %d", c.Name, e.Code)
		}
		seen[e.Code] = true
	}
	return nil
}

func checkFlag(f Flag) error {
	for _, word := range append(slices.Clone(f.Choices), f.Name) {
		if !plainWord().MatchString(word) {
			return fmt.Errorf("flag %s: %q is not a plain word", f.Name, word)
		}
	}
	switch {
	case f.Usage == "" || strings.HasSuffix(f.Usage, "."):
		return fmt.Errorf("flag %s: the usage is empty or ends with a period", f.Name)
	case f.takesValue() == (f.valuePlaceholder() == ""):
		return fmt.Errorf("flag %s: a placeholder is missing or misplaced", f.Name)
	case f.isTime() != (f.Value == "TIME"):
		return fmt.Errorf("flag %s: a flag for a time has the placeholder TIME, and no other flag has it", f.Name)
	case f.Kind == Switch && (f.Default != "" || f.Required):
		return fmt.Errorf("flag %s: a switch has no default and is not required", f.Name)
	case f.Required && f.Default != "":
		return fmt.Errorf("flag %s is required and has a default", f.Name)
	}
	return checkBounds(f)
}

// checkBounds checks that a flag may have bounds, and that they and the default
// are values of it.
func checkBounds(f Flag) error {
	if f.Least+f.Most != "" && !slices.Contains([]Kind{Number, Duration, Seconds}, f.Kind) {
		return fmt.Errorf("flag %s: only a number or a duration has bounds", f.Name)
	}
	for _, text := range []string{f.Least, f.Most, f.Default} {
		with := f
		with.Default = text
		if _, err := newValue(with); err != nil {
			return err
		}
	}
	return nil
}

func (p *Program) checkWidth() error {
	for _, path := range p.commandPaths() {
		for _, line := range strings.Split(p.helpText(path), "\n") {
			if columns.Width(line) > helpWidth {
				return fmt.Errorf("help of %s: line is wider than %d columns: %s", pathName(path), helpWidth, line)
			}
		}
	}
	return nil
}

// checkExample reads an example as far as the first redirection or pipe.
func (p *Program) checkExample(example string) error {
	if i := strings.IndexAny(example, "|>;&"); i >= 0 {
		example = example[:i]
	}
	words := strings.Fields(strings.ReplaceAll(example, "\\\n", " "))
	if len(words) == 0 || words[0] != p.Name {
		return fmt.Errorf("example %q does not call %s", example, p.Name)
	}
	if _, err := p.arrangeWords(words[1:]); err != nil {
		return fmt.Errorf("example %q: %w", example, err)
	}
	return nil
}
