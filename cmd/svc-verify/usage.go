package main

import (
	"slices"

	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// commandForm is one of several things that a command does, and the flags that belong to it.
type commandForm struct {
	where        string // it is done, such as "where a key is made"
	needs, takes []string
}

// withAnswer returns flags, and those of an answer that takes a while.
func withAnswer(flags ...string) []string {
	return append(flags, "output", "color", "full", "progress", "quiet")
}

// requireForm refuses flags that do not belong to the form of a command, and wants those that it needs.
func (c *invocation) requireForm(f commandForm) {
	for _, name := range c.AllGiven() {
		if !slices.Contains(f.needs, name) && !slices.Contains(f.takes, name) {
			c.keepError(cliapp.Usagef("--%s does not apply %s", name, f.where))
		}
	}
	for _, name := range f.needs {
		if !c.Given(name) {
			c.keepError(cliapp.Usagef("--%s is needed %s", name, f.where))
		}
	}
}

// requireArgs wants a form to have at least and at most so many arguments.
func (c *invocation) requireArgs(least, most int, where string) {
	switch {
	case len(c.Args) > most:
		c.keepError(cliapp.Usagef("unexpected argument %s %s", safetext.Quote(c.Args[most]), where))
	case len(c.Args) < least:
		c.keepError(cliapp.Usagef("an argument is missing %s", where))
	}
}
