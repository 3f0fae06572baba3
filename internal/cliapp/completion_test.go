package cliapp

import (
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestCompletionScripts compares the scripts with the golden files. The module
// interop/shells has the shells themselves run those of svc-verify.
func TestCompletionScripts(t *testing.T) {
	for _, p := range []*Program{demo(), edge()} {
		for _, shell := range []string{"bash", "zsh", "fish"} {
			code, stdout, stderr := call(p, "completion", shell)
			must.That(t, code == 0 && stderr == "", "completion %s: exit code %d, %s", shell, code, stderr)
			golden(t, "completion/"+p.Name+"."+shell, stdout)
		}
		golden(t, p.Name+".1", p.manual())
	}
}

// TestCandidates asks for what may follow a line, as the scripts do.
func TestCandidates(t *testing.T) {
	const top = "many explain show trust reject fail clash panic exit quit typo completion man "
	for line, want := range map[string]string{
		"demo":                            top + "--evidence --trust --output --help",
		"demo --output":                   "result brief text",
		"demo --output =":                 "result brief text",
		"demo --output = text":            top + "--evidence --trust --output --help",
		"demo --output=brief":             top + "--evidence --trust --output --help",
		"demo -output brief trust":        "lint diff --help",
		"demo --evidence":                 "",
		"demo --evidence many":            top + "--evidence --trust --output --help",
		"demo many":                       "--trust --jobs --wait --type --quiet --help",
		"demo many --quiet":               "--trust --jobs --wait --type --quiet --help",
		"demo many --":                    "",
		"demo trust":                      "lint diff --help",
		"demo trust lint x":               "--help",
		"demo many --unknown trust x.txt": "--trust --jobs --wait --type --quiet --help",
		"demo completion":                 "bash zsh fish --help",
		"edge -ca status":                 "status events completion man -ca -event-wait -watch -help",
		"edge -ca x -watch events":        "-help",
	} {
		p := demo()
		if strings.HasPrefix(line, "edge") {
			p = edge()
		}
		code, stdout, stderr := call(p, append([]string{"completion", "zsh", "--"}, strings.Fields(line)...)...)
		var got []string
		for candidate := range strings.Lines(stdout) {
			word, _, _ := strings.Cut(candidate, "\t")
			got = append(got, word)
		}
		check.That(t, code == 0 && stderr == "" && strings.Join(got, " ") == want, "%s: exit code %d, %s\n got %q\nwant %q",
			line, code, stderr, got, want)
	}
}
