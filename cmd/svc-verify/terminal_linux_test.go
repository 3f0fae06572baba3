package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/cliapp/clitest"
)

// onTerminal returns what f writes to a terminal, with line feeds as f wrote them.
func onTerminal(t *testing.T, f func(terminal *os.File)) string {
	t.Helper()
	terminal, reader := clitest.Terminal(t)
	text := make(chan string)
	go func() {
		all, _ := io.ReadAll(reader) // ends with an error when nobody can write any more
		text <- string(all)
	}()
	f(terminal)
	terminal.Close()
	return strings.ReplaceAll(<-text, "\r\n", "\n")
}

// TestMeterOnTerminal: what else a command writes stands on lines of its own, and
// nothing is left of the meter once the result begins.
func TestMeterOnTerminal(t *testing.T) {
	got := onTerminal(t, func(terminal *os.File) {
		waits := &cliapp.Program{Name: "p", Summary: "Wait", ExitCodes: []cliapp.ExitCode{{Code: 0, Meaning: "done"}},
			Flags: progressFlags(),
			Action: func(c *cliapp.Context) (int, error) {
				m := newMeter(c, number)
				defer m.clear()
				m.show(done{"a", 1, 2, 1})
				io.WriteString(c.Stderr, "a warning\n")
				m.show(done{"a", 2, 2, 2})
				io.WriteString(c.Stdout, "the result, ")
				m.mu.Lock()
				m.told = time.Time{} // long ago
				m.mu.Unlock()
				time.Sleep(3 * m.every)
				io.WriteString(c.Stdout, "whole\n")
				return 0, nil
			}}
		if code := waits.Run(nil, nil, terminal, terminal); code != 0 {
			t.Errorf("exit code %d", code)
		}
	})
	if want := "\ra  1 of 2\x1b[K\r\x1b[Ka warning\n\ra  2 of 2\x1b[K\r\x1b[Kthe result, whole\n"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestCommandOnTerminal: what is shown while a command works is gone in the end.
func TestCommandOnTerminal(t *testing.T) {
	scene, err := harness.Build("issued", 1, harness.Options{})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := scene.Write(dir); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "case.db")
	got := onTerminal(t, func(terminal *os.File) {
		program().Run([]string{"ingest", "--case", file, filepath.Join(dir, "tenant.ndjson")}, nil, terminal, terminal)
	})
	if _, result, cleared := strings.Cut(got, "\x1b[K\r\x1b[K"); !cleared || !strings.HasPrefix(got, "\r") || !strings.HasPrefix(result, "sources of the case\n") {
		t.Errorf("got %q, want a line of progress that is removed, and the result", got)
	}
}

// TestColorOnTerminal: a terminal shows colours unless its user wants none.
func TestColorOnTerminal(t *testing.T) {
	const plain, colored = "warning  trust.known-key\n", "\x1b[33mwarning\x1b[0m  trust.known-key\n"
	scene := scenes()["issued"]
	dir := t.TempDir()
	if err := scene.Write(dir); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ noColor, choice, want string }{
		"a terminal": {"", "auto", colored},
		"NO_COLOR":   {"1", "auto", plain},
		"always":     {"1", "always", colored},
		"never":      {"", "never", plain},
	} {
		t.Setenv("NO_COLOR", c.noColor)
		got := onTerminal(t, func(terminal *os.File) {
			program().Run([]string{"trust", "lint", "--color", c.choice, filepath.Join(dir, "trust.json")}, nil, terminal, terminal)
		})
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %.80q, want %q", name, got, c.want)
		}
	}
	t.Setenv("NO_COLOR", "")
	if _, got, _ := call(nil, "trust", "lint", filepath.Join(dir, "trust.json")); strings.Contains(got, "\x1b") {
		t.Errorf("no terminal: %.80q", got)
	}
}

// TestVerdictIsLastOnTerminal: on a terminal the verdict is the last line too,
// and nowhere else.
func TestVerdictIsLastOnTerminal(t *testing.T) {
	dir := t.TempDir()
	if err := scenes()["revoked"].Write(dir); err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	if code, _, stderr := call(nil, "ingest", "--case", at("case.db"), at("tenant.ndjson"), at("journals")); code != 0 {
		t.Fatal(stderr)
	}
	bundle := at("svc-evidence-tx-2026-0001.json")
	for _, line := range [][]string{
		{"walk", "--case", at("case.db"), "--trust", at("trust.json")},
		{"crosscheck", "--case", at("case.db"), "--trust", at("trust.json")},
		{"findings", "--case", at("case.db")},
		{"show", "--case", at("case.db"), "--log", "tenant/acme-corp", "--sequence", "2"},
		{"gaps", "--case", at("case.db")},
		{"--evidence", bundle, "--trust", at("trust.json"), "--output", "text"},
	} {
		_, plain, _ := call(nil, append(line, "--color", "never")...)
		first, _, _ := strings.Cut(plain, "\n")
		got := onTerminal(t, func(terminal *os.File) {
			program().Run(append(line, "--color", "never"), nil, terminal, io.Discard)
		})
		if want := plain + "\n" + first + "\n"; !strings.HasPrefix(first, "verified  ") || got != want {
			t.Errorf("%v: on a terminal %q, want %q", line[0], got, want)
		}
	}
}
