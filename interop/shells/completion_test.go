package shells

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// golden returns the path of what a test of internal/cliapp holds to be current.
func golden(t *testing.T, name string) string {
	t.Helper()
	return must.Get(filepath.Abs(filepath.Join("../../internal/cliapp/testdata", name)))(t)
}

// script returns the completion script of a program for a shell.
func script(t *testing.T, program, shell string) string {
	t.Helper()
	return golden(t, "completion/"+program+"."+shell)
}

func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	must.That(t, err == nil, "%s: %v\n%s", name, err, out)
	return strings.Join(strings.Fields(string(out)), " ")
}

func TestCompletionSyntax(t *testing.T) {
	for _, name := range []string{"bash", "zsh", "fish"} {
		t.Run(name, func(t *testing.T) {
			for _, p := range []string{"demo", "edge"} {
				output(t, must.Program(t, name), "-n", script(t, p, name))
			}
		})
	}
}

// completions are lines typed so far, words separated by a space, and what
// completes the last word. "FILES" stands for the names of files.
var completions = []struct {
	program string
	line    string
	want    string
}{
	{"demo", "m", "many man"},
	{"demo", "", "many explain show trust reject fail clash panic exit quit typo completion man"},
	{"demo", "--e", "--evidence"},
	{"demo", "--output ", "result brief text"},
	{"demo", "--output b", "brief"},
	{"demo", "--output brief --t", "--trust"},
	{"demo", "--evidence ", "FILES"},
	{"demo", "--evidence many --t", "--trust"},
	{"demo", "many --", "--trust --jobs --wait --type --quiet --help"},
	{"demo", "many --q", "--quiet"},
	{"demo", "many --quiet ", "FILES"},
	{"demo", "trust ", "lint diff"},
	{"demo", "trust l", "lint"},
	{"demo", "trust lint ", "FILES"},
	{"demo", "completion ", "bash zsh fish"},
	{"edge", "-c", "-ca"},
	{"edge", "-ca status s", "status"},
	{"edge", "-ca x -watch e", "events"},
}

func TestBashCompletion(t *testing.T) {
	bash := must.Program(t, "bash")
	const complete = `source "$1"; shift 1; function=$1; shift 1
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(stale)
"$function"; ((${#COMPREPLY[@]})) || COMPREPLY=(FILES); echo "${COMPREPLY[@]}"`
	cases := append(completions, []struct {
		program string
		line    string
		want    string
	}{
		// bash makes "=" a word of its own.
		{"demo", "--output = ", "result brief text"},
		{"demo", "--output =", "result brief text"},
		{"demo", "--output = t", "text"},
		{"demo", "--output = text --ev", "--evidence"},
		{"demo", "--evidence = many --ev", "--evidence"},
	}...)
	for _, c := range cases {
		t.Run(c.program+" "+c.line, func(t *testing.T) {
			args := []string{"--norc", "-c", complete, "bash", script(t, c.program, "bash"),
				"_" + c.program, c.program}
			if got := output(t, bash, append(args, strings.Split(c.line, " ")...)...); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
	registered := output(t, bash, "--norc", "-c", `source "$1"; complete -p demo`, "bash", script(t, "demo", "bash"))
	check.Equal(t, registered, "complete -o default -F _demo demo", "registered as")
}

// The functions of the completion system of zsh work only while a user types;
// the test puts functions in their place that print what they are given.
func TestZshCompletion(t *testing.T) {
	zsh := must.Program(t, "zsh")
	const complete = `
compdef() { : }
_files() { print -r -- FILES }
offer() { local w; for w in "$@"; do [[ ${w%%:*} == ${words[CURRENT]}* ]] && print -r -- ${w%%:*}; done; : }
compadd() { shift; offer "$@" }
_describe() { offer "${(@P)argv[-1]}" }
source $1; function=$2; shift 2
words=("$@"); CURRENT=$#
$function`
	for _, c := range completions {
		t.Run(c.program+" "+c.line, func(t *testing.T) {
			args := []string{"-f", "-c", complete, "zsh", script(t, c.program, "zsh"), "_" + c.program, c.program}
			if got := output(t, zsh, append(args, strings.Split(c.line, " ")...)...); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestFishCompletion(t *testing.T) {
	fish := must.Program(t, "fish")
	for _, c := range completions {
		if c.want == "FILES" {
			continue
		}
		t.Run(c.program+" "+c.line, func(t *testing.T) {
			got := output(t, fish, "--no-config", "-c", `source $argv[1]; complete -C $argv[2] | string replace -r '\t.*' ''`,
				script(t, c.program, "fish"), c.program+" "+c.line)
			for _, word := range strings.Fields(c.want) {
				check.That(t, strings.Contains(" "+got+" ", " "+word+" "), "%s is missing from %s", word, got)
			}
			check.Equal(t, strings.Count(got, " "), strings.Count(c.want, " "), "got %s, want %s", got, c.want)
		})
	}
}
