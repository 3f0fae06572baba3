package cliapp

import (
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

const movable = `
$output: --output one-of=text|json default=text: What to print
[demo] Check things
exit 0: done
paths: verify
moved gaps: show gaps CASE
moved batch: verify --status any
moved show each: show gaps --since $1 --until $2
moved show put: show gaps --to OUT
moved show gaps old: show gaps --to $1
[verify] Verify
args: [PATH...]
flags: output
--status TEXT: The status
[show] Show
[show gaps] Show gaps
args: CASE [ID]
flags: output
--since RUN: From
--until RUN: To
--to ID: Where
--full switch: All
gone --fast: it always is; leave the flag out
`

// TestCommonForms: the forms that people type by habit are understood, and mean one thing.
func TestCommonForms(t *testing.T) {
	var words []string
	show := func(c *Context) (int, error) {
		words = append(c.Args, "output="+c.Text("output"))
		return 0, nil
	}
	p := must.Get(Parse(movable, map[string]Action{"verify": show, "show gaps": show}))(t)
	for line, want := range map[string]string{
		"verify a -o json":       "a output=json",
		"verify a -o=json":       "a output=json",
		"verify --json a":        "a output=json",
		"a.json --json":          "a.json output=json",
		"./a b":                  "./a b output=text",
		"a.json --status issued": "a.json output=text",
	} {
		code, _, stderr := call(p, strings.Fields(line)...)
		check.That(t, code == 0 && strings.Join(words, " ") == want, "%s: %d, %q, %s", line, code, words, stderr)
	}
	for line, want := range map[string]string{
		"help": "Check things", "help verify": "demo verify [flags] [PATH...]",
		"help show gaps": "demo show gaps [flags] CASE [ID]",
	} {
		code, stdout, _ := call(p, strings.Fields(line)...)
		check.That(t, code == 0 && strings.Contains(stdout, want), "%s: %d, %s", line, code, stdout)
	}
	p.Version = "1.2.3"
	_, stdout, _ := call(p, "version")
	check.Equal(t, stdout, "demo 1.2.3\n", "version")
}

// TestMovedCommands: a former command exits with 2 and names the line to type, whose words
// no shell changes.
func TestMovedCommands(t *testing.T) {
	p := must.Get(Parse(movable, map[string]Action{"show gaps": func(*Context) (int, error) { return 0, nil }}))(t)
	for line, want := range map[string]string{
		"gaps --case c.case --json":  "demo show gaps c.case --json",
		"gaps x --case=c.case":       "demo show gaps c.case x",
		"gaps":                       "demo show gaps",
		"gaps --case":                "demo show gaps",
		"gaps --case a';rm":          `demo show gaps 'a'\'';rm'`,
		"batch p --trust t":          "demo verify --status any p --trust t",
		"batch --case c":             "demo verify --status any --case c",
		"show each 1 --json 2 3":     "demo show gaps --since 1 --until 2 --json 3",
		"show each -o json 1":        "demo show gaps --since 1 -o json",
		"show each --full x*y":       "demo show gaps --since 'x*y' --full",
		"show each --output json 1":  "demo show gaps --since 1 --output json",
		"show put --out=a;b c":       "demo show gaps --to 'a;b' c",
		"show put c --out":           "demo show gaps c",
		"show gaps old c --full d e": "demo show gaps --to c --full d e",
		"gaps \x1b[2J --case \u202e": `demo show gaps $'\342\200\256' $'\033[2J'`,
	} {
		code, stdout, stderr := call(p, strings.Fields(line)...)
		check.That(t, code == ExitFailure && stdout == "", "%s: %d, %s", line, code, stdout)
		check.That(t, strings.Contains(stderr, "; type: "+want+"\n"), "%s:\n%s, want %s", line, stderr, want)
	}
	code, _, stderr := call(p, "show", "gaps", "c", "--fast")
	const gone = "demo show gaps no longer has --fast: it always is; leave the flag out\n"
	check.That(t, code == ExitFailure && strings.Contains(stderr, gone), "a former flag: %d, %s", code, stderr)
	for line, want := range map[string]string{ // a command of today, with a former name as an argument
		"show gaps old": "ok", "show gaps old c": "ok", "show gaps c old x": "unexpected argument x",
	} {
		code, _, stderr := call(p, strings.Fields(line)...)
		check.That(t, (code == 0) == (want == "ok") && (code == 0 || strings.Contains(stderr, want)), "%s: %s", line, stderr)
	}
	for _, text := range []string{"moved gaps: CASE", "moved gaps: show\nmoved gaps: show", "moved: show"} {
		_, err := Parse("[demo] Check\nexit 0: done\n"+text+"\n", nil)
		check.That(t, err != nil, "%q is accepted", text)
	}
}

// TestGroupWithArguments: a command with arguments can be a group as well. The name of a command is
// one only in the place of the first argument.
func TestGroupWithArguments(t *testing.T) {
	p := demo()
	p.Commands[2].Commands = []*Command{{Name: "all", Summary: "Show everything", Args: "[PATH]", Action: show}}
	must.Do(t, p.Check())
	for line, want := range map[string]string{
		"show": `args=[]`, "show a": `args=["a"]`, "show a all": `args=["a" "all"]`, "show all": `args=[]`,
		"show all a": `args=["a"]`, "show -- all": `args=["all"]`, "show alll": `args=["alll"]`,
	} {
		code, stdout, stderr := call(p, strings.Fields(line)...)
		check.That(t, code == 0 && stdout == want, "%s: exit %d, %s, expected %s\n%s", line, code, stdout, want, stderr)
	}
	code, _, _ := call(p, "show", "all", "a", "b")
	check.Equal(t, code, ExitFailure, "an argument too many for the command in the group")
}
