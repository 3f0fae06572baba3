package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// foldText breaks the lines of a text after every so many bytes, as fold -w does.
func foldText(text string, width int) []byte {
	var b bytes.Buffer
	for line := range strings.Lines(text) {
		for ; len(strings.TrimSuffix(line, "\n")) > width; line = line[width:] {
			b.WriteString(line[:width] + "\n")
		}
		b.WriteString(line)
	}
	return b.Bytes()
}

// foldedScene is the journals of a fleet and a trust file.
type foldedScene struct {
	lines []string
	trust string
}

func newFoldedScene(t *testing.T) foldedScene {
	e, _ := messySource(t)
	trust := trustFile(t, e, t.TempDir())
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	s := foldedScene{trust: trust}
	for _, name := range e.Names() {
		if strings.HasPrefix(name, "journals/") {
			journal := must.Get(e.Content(name))(t)
			s.lines = append(s.lines, strings.Split(strings.TrimSuffix(string(journal), "\n"), "\n")...)
		}
	}
	must.That(t, len(s.lines) >= 100, "%d events", len(s.lines))
	return s
}

// run runs a command that must not stop by a fault, and wants an exit code.
func (s foldedScene) run(t *testing.T, want int, args ...string) string {
	t.Helper()
	code, stdout, stderr := call(nil, args...)
	if code != want || strings.Contains(stderr, "fault of svc-verify") || strings.Contains(stderr, "internal error") {
		t.Errorf("%q: exit %d, want %d\n%s%s", args[0], code, want, stdout, stderr)
	}
	return stdout
}

// explained returns how many events are found in a file, and how many spans of it are
// named as not read.
func (s foldedScene) explained(t *testing.T, file string) (events, notRead int) {
	t.Helper()
	var doc struct {
		Files []struct {
			Events  int
			NotRead int `json:"not_read"`
		}
	}
	stdout := s.run(t, exitVerified, "check", "--explain", "--output", "json", file)
	err := json.Unmarshal([]byte(stdout), &doc)
	must.That(t, err == nil && len(doc.Files) == 1, "%v: %s", err, stdout)
	return doc.Files[0].Events, doc.Files[0].NotRead
}

// examine gives a text to every command that reads evidence. A text that was read whole is
// verified; where an event is not found, a span is named, and the verdict is open.
func (s foldedScene) examine(t *testing.T, text []byte, lost int) {
	t.Helper()
	archive, own := t.TempDir(), t.TempDir()
	file := filepath.Join(archive, "t")
	must.Do(t, os.WriteFile(file, text, 0o600))
	events, notRead := s.explained(t, file)
	want, strict := exitInconclusive, exitInconclusive
	if notRead == 0 {
		want, strict = exitVerified, exitVerified
		lost = 0
	}
	check.That(t, events >= len(s.lines)-lost && events <= len(s.lines),
		"%d events of %d, and %d spans not read", events, len(s.lines), notRead)
	in := func(name string) string { return filepath.Join(own, name) }
	s.run(t, want, "check", "--trust", s.trust, file)
	s.run(t, exitVerified, "ingest", in("case"), file)
	s.run(t, strict, "ingest", in("case"), "--strict", file)
	s.run(t, want, "walk", in("case"), "--trust", s.trust)
	s.run(t, exitVerified, "part", "--trust", s.trust, "--out", in("part"), file)
	s.run(t, want, "conclude", "--trust", s.trust, in("part"))
	s.run(t, want, "archive", "check", archive, "--ledger", in("ledger"), "--trust", s.trust)
}

// TestFoldedJournals: journals whose lines were broken stop no command, and are never
// verified if an event of them was not found.
func TestFoldedJournals(t *testing.T) {
	s := newFoldedScene(t)
	lines := strings.Join(s.lines, "\n") + "\n"
	for name, c := range sampled(map[string]struct {
		text  string
		width int
		lost  int // how many events may be lost at most, if spans are named as not read
	}{
		"lines of 76":                         {lines, 76, 1},
		"lines of 80":                         {lines, 80, 1},
		"lines of 100":                        {lines, 100, 1},
		"lines of 132":                        {lines, 132, 1},
		"narrower than names":                 {lines, 11, 40},
		"no line ends, lines of 80":           {strings.Join(s.lines, ""), 80, 20},
		"no line ends, lines of 100":          {strings.Join(s.lines, ""), 100, 20},
		"spaces for line ends, lines of 76":   {strings.Join(s.lines, " "), 76, 20},
		"behind a word, lines of 100":         {"log: " + lines, 100, 0},
		"behind a word, narrower than names":  {"log: " + lines, 9, 40},
		"behind a word, without ends, of 132": {"log: " + strings.Join(s.lines, ""), 132, 20},
	}, 4) {
		t.Run(name, func(t *testing.T) { s.examine(t, foldText(c.text, c.width), c.lost) })
	}
}

// TestFoldedAcrossBlocks: wherever an event begins before the end of a block that is
// searched at once, all events are found.
func TestFoldedAcrossBlocks(t *testing.T) {
	s := newFoldedScene(t)
	file := filepath.Join(t.TempDir(), "t")
	for shift := 0; shift < 900; shift += 41 {
		text := fmt.Sprintf("log: %s\n%s\n", strings.Repeat("x", shift), strings.Join(s.lines, "\n"))
		must.Do(t, os.WriteFile(file, foldText(text, 100), 0o600))
		if events, notRead := s.explained(t, file); events != len(s.lines) || notRead != 0 {
			t.Errorf("behind %d octets: %d events of %d, and %d spans not read", shift, events, len(s.lines), notRead)
		}
	}
}
