package shells

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// golden returns the path of a file that a test of internal/cliapp keeps current.
func golden(t *testing.T, name string) string {
	t.Helper()
	return must.Get(filepath.Abs(filepath.Join("../../internal/cliapp/testdata", name)))(t)
}

// script returns the completion script of svc-verify for a shell, with the program on PATH.
func script(t *testing.T, shell string) string {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "svc-verify")
	build := exec.Command("go", "build", "-o", program, "./cmd/svc-verify")
	build.Dir = filepath.Join("..", "..")
	out, err := build.CombinedOutput()
	must.That(t, err == nil, "%v\n%s", err, out)
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	name := filepath.Join(dir, "script")
	must.Do(t, os.WriteFile(name, must.Get(exec.Command(program, "completion", shell).Output())(t), 0o600))
	return name
}

func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	must.That(t, err == nil, "%s: %v\n%s", name, err, out)
	return strings.Join(strings.Fields(string(out)), " ")
}

// completions are lines typed so far, words separated by a space, and the completions of the
// last word. "FILES" represents the names of files.
var completions = []struct{ line, want string }{
	{"wal", "walk"},
	{"trust ", "init lint show diff history"},
	{"trust l", "lint"},
	{"trust history ", "FILES"},
	{"--ev", "--evidence"},
	{"--output ", "result brief report text"},
	{"--output b", "brief"},
	{"--output brief --tr", "--trust --transaction"},
	{"--evidence ", "FILES"},
	{"--evidence walk --min", "--minimum-approvals"},
	{"walk --s", "--since-last --strict --store"},
	{"walk --since-last --output j", "json"},
	{"explain --", "--color --help"},
	{"inspect ", "FILES"},
	{"inspect -- ", "FILES"},
	{"completion ", "bash zsh fish"},
}

func TestBashCompletion(t *testing.T) {
	bash := must.Program(t, "bash")
	const complete = `source "$1"; shift 1
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(stale)
_svc_verify; ((${#COMPREPLY[@]})) || COMPREPLY=(FILES); echo "${COMPREPLY[@]}"`
	cases := append(completions, []struct{ line, want string }{
		// bash makes "=" a word of its own.
		{"--output = ", "result brief report text"},
		{"--output =", "result brief report text"},
		{"--output = t", "text"},
		{"--output = text --ev", "--evidence"},
		{"--evidence = walk --ev", "--evidence"},
	}...)
	file := script(t, "bash")
	output(t, bash, "-n", file)
	for _, c := range cases {
		args := []string{"--norc", "-c", complete, "bash", file, "svc-verify"}
		check.Equal(t, output(t, bash, append(args, strings.Split(c.line, " ")...)...), c.want, "%s", c.line)
	}
	registered := output(t, bash, "--norc", "-c", `source "$1"; complete -p svc-verify`, "bash", file)
	check.Equal(t, registered, "complete -o default -F _svc_verify svc-verify", "registered as")
}

// The functions of zsh's completion system work only while a user types. The test replaces
// them with functions that print their arguments.
func TestZshCompletion(t *testing.T) {
	zsh := must.Program(t, "zsh")
	const complete = `
compdef() { : }
_files() { print -r -- FILES }
compset() { words[CURRENT]=${words[CURRENT]#*=} }
_describe() { local w; for w in "${(@P)argv[-1]}"; do [[ ${w%%:*} == ${words[CURRENT]}* ]] && print -r -- ${w%%:*}; done; : }
source $1; shift 1
words=("$@"); CURRENT=$#
_svc_verify`
	cases := append(completions, []struct{ line, want string }{
		{"--output=", "result brief report text"},
		{"--output=t", "text"},
		{"--evidence=x", "FILES"},
	}...)
	file := script(t, "zsh")
	output(t, zsh, "-n", file)
	for _, c := range cases {
		args := []string{"-f", "-c", complete, "zsh", file, "svc-verify"}
		check.Equal(t, output(t, zsh, append(args, strings.Split(c.line, " ")...)...), c.want, "%s", c.line)
	}
}

func TestFishCompletion(t *testing.T) {
	fish := must.Program(t, "fish")
	file := script(t, "fish")
	output(t, fish, "-n", file)
	t.Chdir(t.TempDir())
	must.Do(t, os.WriteFile("FILES", nil, 0o600))
	cases := append(completions, []struct{ line, want string }{
		{"--output=", "--output=result --output=brief --output=report --output=text"},
		{"--output=b", "--output=brief"},
	}...)
	for _, c := range cases {
		got := output(t, fish, "--no-config", "-c", `source $argv[1]; complete -C $argv[2] | string replace -r '\t.*' ''; true`,
			file, "svc-verify "+c.line)
		for _, word := range strings.Fields(c.want) {
			check.That(t, strings.Contains(" "+got+" ", " "+word+" "), "%s: %s is missing from %s", c.line, word, got)
		}
		check.Equal(t, strings.Count(got, " "), strings.Count(c.want, " "), "%s: got %s, want %s", c.line, got, c.want)
	}
}
