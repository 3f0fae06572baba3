package main

import (
	"slices"

	"github.com/svc-edge/svc-verify/internal/cliapp"
)

// commandForm is one of several things that a command does, and the flags that belong to it.
type commandForm struct {
	where        string // it is done, such as "where a key is made"
	needs, takes []string
}

// everyForm are flags that belong to every form of a command.
var everyForm = []string{"output", "color", "full", "progress", "quiet"}

// requireForm refuses flags that do not belong to the form of a command, and wants those that it needs.
func (c *invocation) requireForm(f commandForm) {
	for _, name := range c.AllGiven() {
		if !slices.Contains(f.needs, name) && !slices.Contains(f.takes, name) && !slices.Contains(everyForm, name) {
			c.keepError(cliapp.Usagef("--%s does not apply %s", name, f.where))
		}
	}
	for _, name := range f.needs {
		if !c.Given(name) {
			c.keepError(cliapp.Usagef("--%s is needed %s", name, f.where))
		}
	}
}
