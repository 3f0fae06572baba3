package main

import (
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// commandForm is one of several things that a command does, with its flags and arguments.
type commandForm struct {
	where string // it is done, such as "where a key is made"
	needs string // the required flags, separated by spaces
	takes string // the optional flags
	args  int    // the number of arguments; 0 for any that the command declares
}

// noArgs are the arguments of a form without any.
const noArgs = -1

// answerFlags are the flags of an answer, meteredFlags also the flags of its progress.
const answerFlags, meteredFlags = " output color full", " output color full progress quiet"

// requireForm refuses flags and arguments that do not belong to the form of a command, and wants those
// that it needs.
func (c *invocation) requireForm(f commandForm) {
	needs := strings.Fields(f.needs)
	all := append(strings.Fields(f.takes), needs...)
	for _, name := range c.AllGiven() {
		refuseIf(!slices.Contains(all, name), "--%s does not apply %s", name, f.where)
	}
	for _, name := range needs {
		refuseIf(!c.Given(name), "--%s is needed %s", name, f.where)
	}
	switch most := max(f.args, 0); {
	case f.args == 0:
	case len(c.Args) > most:
		stopOn(cliapp.Usagef("unexpected argument %s %s", safetext.Quote(c.Args[most]), f.where))
	default:
		refuseIf(len(c.Args) < most, "an argument is missing %s", f.where)
	}
}
