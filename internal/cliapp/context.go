package cliapp

import (
	"fmt"
	"io"
	"slices"
	"time"
)

// Context contains the arguments, flags and streams of an action.
//
// Its methods return the value of a flag by its name. A name that the command
// does not declare, or declares as another kind, is a mistake in the program
// and panics.
type Context struct {
	// Args are the arguments, as many as the command declares.
	Args []string
	// Stdin is the standard input.
	Stdin io.Reader
	// Stdout receives the result. If a write to it fails, the program exits with
	// [ExitFailure], whatever the action returns.
	Stdout io.Writer
	// Stderr receives warnings, hints and progress.
	Stderr io.Writer

	values map[string]*value
}

func (c *Context) valueOf(name string, kind Kind) *value {
	v := c.values[name]
	if v == nil || v.decl.Kind != kind {
		panic(fmt.Sprintf("flag %q is not declared with this kind", name))
	}
	return v
}

// Text returns the value of a Text flag; "" if it was not given and has no
// default.
func (c *Context) Text(name string) string {
	if v := c.valueOf(name, Text); len(v.texts) > 0 {
		return v.texts[0]
	}
	return ""
}

// List returns the values of a List flag in the order given.
func (c *Context) List(name string) []string { return c.valueOf(name, List).texts }

// Texts returns the values that a Text or a List flag was given; none if the command
// does not declare it.
func (c *Context) Texts(name string) []string {
	if v := c.values[name]; v != nil && v.given {
		return v.texts
	}
	return nil
}

// Number returns the value of a Number flag, 0 or more.
func (c *Context) Number(name string) int { return c.valueOf(name, Number).number }

// Duration returns the value of a Duration or Seconds flag, 0 or more.
func (c *Context) Duration(name string) time.Duration {
	if v := c.values[name]; v != nil && v.decl.Kind == Seconds {
		return v.duration
	}
	return c.valueOf(name, Duration).duration
}

// Time returns the value of a Time or Moment flag in UTC; the zero time if it was not given.
func (c *Context) Time(name string) time.Time {
	if v := c.values[name]; v != nil && v.decl.Kind == Moment {
		return v.time
	}
	return c.valueOf(name, Time).time
}

// AssumedUTC reports whether a Moment was given without a zone.
func (c *Context) AssumedUTC(name string) bool { return c.valueOf(name, Moment).inUTC }

// Switch reports whether a Switch was given.
func (c *Context) Switch(name string) bool { return c.valueOf(name, Switch).given }

// Declares reports whether the command has a flag of this name.
func (c *Context) Declares(name string) bool { return c.values[name] != nil }

// AllGiven returns the names of the flags that were given on the command line, sorted.
func (c *Context) AllGiven() (names []string) {
	for name, v := range c.values {
		if v.given {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Given reports whether a flag of any kind was given on the command line,
// rather than left to its default.
func (c *Context) Given(name string) bool {
	v, ok := c.values[name]
	if !ok {
		panic(fmt.Sprintf("flag %q is not declared", name))
	}
	return v.given
}
