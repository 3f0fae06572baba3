package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/must"
)

// exitNoScreen is the exit code of a program under test whose answer is no screen.
const exitNoScreen = 99

// screenedMain is the program. It holds each text answer to [screenFault].
func screenedMain() {
	var out bytes.Buffer
	code := newProgram().Run(os.Args[1:], os.Stdin, io.MultiWriter(os.Stdout, &out), os.Stderr)
	if fault := screenFault(os.Args[1:], out.String()); fault != "" {
		fmt.Fprintln(os.Stderr, fault)
		code = exitNoScreen
	}
	os.Exit(code)
}

// startsWithVerdict matches an answer that begins with a verdict.
var startsWithVerdict = regexp.MustCompile(`^(?:\x1b\[[0-9;]*m)?[A-Z]{2,}(?: [A-Z]+)?(?:\x1b\[0m)?  `)

// unfilledNext matches a next command that lacks a name, and so cannot run.
var unfilledNext = regexp.MustCompile(`(?m)^Next: (?:[^\n]*\\\n)*[^\n]* ` +
	`(?:CASE|FILE|TRUST|PATH|BUNDLE|PLAN|PART|CODE)\b`)

// screenFault returns the fault of a text answer, "" if there is none: it is one screen unless
// --full or a list was requested, and a longer one ends with the verdict again.
func screenFault(args []string, stdout string) string {
	c := commandOfLine(args)
	if c == nil || !isText(c, args) || strings.HasPrefix(stdout, "<?xml") {
		return ""
	}
	lines, first := strings.Count(stdout, "\n"), ""
	first, _, _ = strings.Cut(stdout, "\n")
	full := slices.Contains(args, "--full")
	switch {
	case unfilledNext.MatchString(stdout):
		return fmt.Sprintf("%q: the next command lacks a name:\n%s", args, stdout)
	case lines <= answer.ScreenLines:
	case declaresFlag(c, "full") && !full:
		return fmt.Sprintf("%q: %d lines without --full:\n%s", args, lines, stdout)
	case startsWithVerdict.MatchString(first) && !strings.Contains(stdout[len(first):], "\n\n"+first+"\n"):
		return fmt.Sprintf("%q: %d lines that do not end with the verdict:\n%s", args, lines, stdout)
	}
	return ""
}

// commandOfLine returns the command of a line, nil if it asks for help or for no command.
func commandOfLine(args []string) *cliapp.Command {
	if slices.ContainsFunc(args, func(s string) bool { return slices.Contains([]string{"--help", "-h", "help"}, s) }) {
		return nil
	}
	p := newProgram()
	c, all := &cliapp.Command{Flags: p.Flags}, p.Commands
	for _, word := range args {
		i := slices.IndexFunc(all, func(c *cliapp.Command) bool { return c.Name == word })
		if i < 0 {
			break
		}
		c, all = all[i], all[i].Commands
	}
	return c
}

func declaresFlag(c *cliapp.Command, flag string) bool {
	return slices.ContainsFunc(c.Flags, func(f cliapp.Flag) bool { return f.Name == flag })
}

// isText reports whether a command line asks for text.
func isText(c *cliapp.Command, args []string) bool {
	for _, f := range c.Flags {
		if f.Name == "output" {
			form := f.Default
			if slices.Contains(args, "--json") {
				return false
			}
			if i := slices.Index(args, "--output"); i >= 0 && i+1 < len(args) {
				form = args[i+1]
			}
			return form == "text"
		}
	}
	return false
}

// TestScreenFault: a screen that is too long, and a list that does not end with its verdict, are
// faults.
func TestScreenFault(t *testing.T) {
	long := "VERIFIED  a\n" + strings.Repeat("x\n", answer.ScreenLines)
	for _, c := range []struct {
		line, text string
		fault      bool
	}{
		{"walk a", long, true}, {"walk a", long[:len(long)-2], false},
		{"walk a --full", long, true}, {"walk a --full", long + "\nVERIFIED  a\n", false},
		{"walk a --output json", long, false}, {"show findings a", long, true},
		{"show findings a", long + "\nVERIFIED  a\n", false}, {"archive check a", long, true},
		{"walk a", "OPEN  a\nNext: svc-verify walk \\\n  CASE\n", true},
		{"walk a", "OPEN  a\nNext: svc-verify walk a\n", false},
		{"--evidence a", long, false}, {"--evidence a --output text", long, true},
		{"walk --help", long, false}, {"events", strings.Repeat("x\n", 50), false},
	} {
		if fault := screenFault(strings.Fields(c.line), c.text); (fault != "") != c.fault {
			t.Errorf("%s: %q", c.line, fault)
		}
	}
}

// TestScreensAreTried: the scripts ask each command that has --full for its first screen, on real
// evidence.
func TestScreensAreTried(t *testing.T) {
	scripts := must.Get(filepath.Glob(filepath.Join("testdata", "script", "*.txtar")))(t)
	tried := map[string]bool{} // by summary, which no two commands share
	for _, script := range scripts {
		text := must.Get(os.ReadFile(script))(t)
		for line := range strings.Lines(string(text)) {
			words := strings.Fields(line)
			if len(words) < 3 || words[0] != "status" || words[2] != "svc-verify" || words[1] == "2" {
				continue
			}
			if c := commandOfLine(words[3:]); c != nil && isText(c, words) && !slices.Contains(words, "--full") {
				tried[c.Summary] = true
			}
		}
	}
	var missing func(path string, all []*cliapp.Command)
	missing = func(path string, all []*cliapp.Command) {
		for _, c := range all {
			check.That(t, !declaresFlag(c, "full") || tried[c.Summary], "no script asks%s %s for its first screen", path, c.Name)
			missing(path+" "+c.Name, c.Commands)
		}
	}
	missing("", append(newProgram().Commands, &cliapp.Command{Flags: newProgram().Flags}))
}
