package cliapp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// demo is a program with every shape of command the wrapper knows. Its actions print their
// arguments and flags, so that a test sees how a command line was understood.
func demo() *Program {
	return &Program{
		Name:        "demo",
		Version:     "1.2.3",
		Summary:     "Check things offline",
		Description: "Checks one thing, or many.\n\nIt's a program with \\ and 'quotes' for the sake of its tests.",
		ExitCodes:   []ExitCode{{0, "done"}, {1, "the thing is bad"}, {2, "could not work"}},
		Examples: []string{"demo --evidence a.json --trust t.json",
			"demo many --trust t.json \\\n    a.json b.json | less"},
		Flags: []Flag{
			{Name: "evidence", Value: "FILE", Usage: "The thing", Required: true},
			{Name: "trust", Value: "FILE", Usage: "Whom to trust", Required: true},
			{Name: "output", Choices: []string{"result", "brief", "text"}, Default: "result", Usage: "What to print"},
		},
		Action: show,
		Commands: []*Command{
			{
				Name: "many", Summary: "Check many things", Args: "PATH...", Action: show,
				ExitCodes: []ExitCode{{1, "one of them is bad"}, {0, "all are good"}},
				Flags: []Flag{
					{Name: "trust", Value: "FILE", Usage: "Whom to trust", Required: true},
					{Name: "jobs", Kind: Number, Value: "N", Default: "4", Usage: "How many at once"},
					{Name: "wait", Kind: Duration, Value: "D", Usage: "How long to wait"},
					{Name: "type", Kind: List, Value: "NAME", Usage: "Only these"},
					{Name: "quiet", Kind: Switch, Usage: "No progress"},
				},
			},
			{Name: "explain", Summary: "Explain a code", Args: "CODE", Action: show},
			{Name: "show", Summary: "Show, maybe, something", Args: "[PATH...]", Action: show},
			{Name: "trust", Summary: "Work on trust", Commands: []*Command{
				{Name: "lint", Summary: "Look at it", Args: "FILE", Action: show},
				{Name: "diff", Summary: "Compare", Args: "A B", Action: show},
			}},
			{Name: "reject", Summary: "Say no", Action: func(c *Context) (int, error) { return 1, nil }},
			{Name: "fail", Summary: "Fail", Action: func(c *Context) (int, error) {
				return 0, errors.New("reading \x1b[2J: broken\ndemo: verified")
			}},
			{Name: "clash", Summary: "Find a clash", Action: func(c *Context) (int, error) {
				return 0, fmt.Errorf("flags: %w", Usagef("--a and --b exclude each other"))
			}},
			{Name: "panic", Summary: "Panic", Action: func(c *Context) (int, error) { panic("no \x1b[2J luck") }},
			{Name: "exit", Summary: "Give a bad exit code", Action: func(c *Context) (int, error) { return 256, nil }},
			{Name: "quit", Summary: "Try to end the process",
				Action: func(c *Context) (int, error) { return 0, cli.Exit("gone", 0) }},
			{Name: "typo", Summary: "Ask for an unknown flag",
				Action: func(c *Context) (int, error) { return len(c.Text("nope")), nil }},
		},
	}
}

// show prints the arguments and the flags given.
func show(c *Context) (int, error) {
	fmt.Fprintf(c.Stdout, "args=%q", c.Args)
	for _, name := range []string{"evidence", "trust", "output"} {
		if v := c.values[name]; v != nil && c.Text(name) != "" {
			fmt.Fprintf(c.Stdout, " %s=%q given=%t", name, c.Text(name), c.Given(name))
		}
	}
	if c.values["jobs"] != nil {
		fmt.Fprintf(c.Stdout, " jobs=%d wait=%v type=%q quiet=%t", c.Number("jobs"), c.Duration("wait"), c.List("type"),
			c.Switch("quiet"))
	}
	return 0, nil
}

// edge is a program whose flags stand before the command, with one dash.
func edge() *Program {
	act := func(c *Context) (int, error) {
		_, err := fmt.Fprintf(c.Stdout, "ca=%s watch=%t wait=%v args=%q", c.Text("ca"), c.Switch("watch"),
			c.Duration("event-wait"), c.Args)
		return 0, err
	}
	return &Program{
		Name: "edge", Version: "1", Summary: "Ask a node", Dash: "-",
		ExitCodes: []ExitCode{{0, "done"}, {2, "could not work"}},
		Examples:  []string{"edge -ca ca.pem -watch events"},
		Shared: []Flag{
			{Name: "ca", Value: "PATH", Usage: "The CA", Required: true},
			{Name: "event-wait", Kind: Duration, Value: "D", Default: "30s", Usage: "How long to wait"},
			{Name: "watch", Kind: Switch, Usage: "Go on"},
		},
		Commands: []*Command{
			{Name: "status", Summary: "Show the status", Action: act},
			{Name: "events", Summary: "Show the events", Action: act},
		},
	}
}

// call runs a program and returns its exit code and its output.
func call(p *Program, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = p.Run(args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

// asProgram names the variable that makes the test binary the program itself.
const asProgram = "CLIAPP_TEST_PROGRAM"

func TestMain(m *testing.M) {
	p := demo()
	switch os.Getenv(asProgram) {
	case "":
		os.Exit(m.Run())
	case "crash":
		p.Action = func(*Context) (int, error) {
			go func() { panic("in a goroutine") }()
			select {}
		}
	}
	os.Exit(p.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrShortWrite }
