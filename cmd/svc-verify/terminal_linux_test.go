package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/cliapp/clitest"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestCommandOnTerminal: output that is shown while a command works is gone in the end.
func TestCommandOnTerminal(t *testing.T) {
	scene := must.Get(harness.Build("issued", 1, harness.Options{}))(t)
	dir := t.TempDir()
	must.Do(t, scene.Write(dir))
	file := filepath.Join(dir, "case.db")
	got := clitest.OnTerminal(t, func(terminal *os.File) {
		newProgram().Run([]string{"ingest", file, filepath.Join(dir, "tenant.ndjson")}, nil, terminal, terminal)
	})
	_, result, cleared := strings.Cut(got, "\x1b[K\r\x1b[K")
	check.That(t, cleared && strings.HasPrefix(got, "\r") && strings.HasPrefix(result, "This ingest\n"),
		"got %q, want a line of progress that is removed, and the result", got)
}

// TestColorOnTerminal: a terminal shows colours unless its user wants none.
func TestColorOnTerminal(t *testing.T) {
	const plain, colored = "\n  warning  trust.known-key\n", "\n  \x1b[1;33mwarning\x1b[0m  trust.known-key\n"
	scene := scenes()["issued"]
	dir := t.TempDir()
	must.Do(t, scene.Write(dir))
	for name, c := range map[string]struct{ noColor, choice, want string }{
		"a terminal": {"", "auto", colored},
		"NO_COLOR":   {"1", "auto", plain},
		"always":     {"1", "always", colored},
		"never":      {"", "never", plain},
	} {
		t.Setenv("NO_COLOR", c.noColor)
		got := clitest.OnTerminal(t, func(terminal *os.File) {
			newProgram().Run([]string{"trust", "lint", "--color", c.choice, filepath.Join(dir, "trust.json")}, nil,
				terminal, terminal)
		})
		check.That(t, strings.Contains(got, c.want), "%s: %.80q, want %q", name, got, c.want)
	}
	t.Setenv("NO_COLOR", "")
	_, got, _ := call(nil, "trust", "lint", filepath.Join(dir, "trust.json"))
	check.That(t, !strings.Contains(got, "\x1b"), "no terminal: %.80q", got)
}

// TestVerdictIsLast: the verdict is the first line, and also the last of an answer longer than
// a screen, on a terminal as elsewhere.
func TestVerdictIsLast(t *testing.T) {
	dir := sceneIn(t, "revoked")
	at := func(name string) string { return filepath.Join(dir, name) }
	code, _, stderr := call(nil, "ingest", at("case.db"), at("tenant.ndjson"), at("journals"))
	must.That(t, code == 0, "%s", stderr)
	if code, _, stderr := call(nil, "walk", at("case.db"), "--trust", at("trust.json")); code != 0 {
		t.Fatal(stderr)
	}
	for _, line := range [][]string{
		{"show", "crosscheck", at("case.db"), "--trust", at("trust.json")},
		{"show", "findings", at("case.db")},
		{"show", "event", at("case.db"), "--log", "tenant/acme-corp", "--sequence", "2"},
		{"show", "gaps", at("case.db")},
	} {
		_, plain, _ := call(nil, append(line, "--color", "never")...)
		first, _, _ := strings.Cut(plain, "\n")
		got := clitest.OnTerminal(t, func(terminal *os.File) {
			newProgram().Run(append(line, "--color", "never"), nil, terminal, io.Discard)
		})
		again := strings.Count(plain, first) > 1 && strings.HasSuffix(plain, plain[strings.LastIndex(plain, first):])
		long := strings.Count(plain, "\n") > answer.ScreenLines
		if !strings.HasPrefix(first, "VERIFIED") || got != plain || again != long {
			t.Errorf("%v: on a terminal %q, elsewhere %q", line[0], got, plain)
		}
	}
}
