package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/tamper"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// documentOf returns a file of the repository.
func documentOf(t *testing.T, name string) string {
	t.Helper()
	text := must.Get(os.ReadFile(filepath.Join("..", "..", name)))(t)
	return string(text)
}

// playLine does as svc-harness scene NAME [--tamper SCRIPT] --out DIR [--owners DIR].
func playLine(t *testing.T, words []string) {
	t.Helper()
	if len(words) >= 4 && words[0] == "scene" && words[2] == "--out" {
		scene := must.Get(harness.WriteScene(words[1], 1, harness.Options{}, words[3]))(t)
		if len(words) == 6 && words[4] == "--owners" {
			must.Do(t, scene.WriteOwners(words[5]))
		}
		return
	}
	must.That(t, len(words) == 6 && words[1] == fleet.Scene && words[2] == "--tamper" && words[4] == "--out",
		"unknown command %q", words)
	script, ok := tamper.Lookup(words[3])
	if !ok {
		t.Fatalf("no script %q", words[3])
	}
	evidence := must.Get(fleet.Build(fleet.Scene, 1, 0))(t)
	evidence, _ = must.Two(script.Apply(evidence))(t)
	must.Do(t, evidence.Write(words[5]))
}

// replaceLine does as sed 's/OLD/NEW/' FILE > FILE, on a file of one line.
func replaceLine(t *testing.T, line string) {
	t.Helper()
	m := regexp.MustCompile(`^sed 's/([^/]+)/([^/]+)/' (\S+) > (\S+)$`).FindStringSubmatch(line)
	must.That(t, m != nil, "unknown command %q", line)
	text := must.Get(os.ReadFile(m[3]))(t)
	if !strings.Contains(string(text), m[1]) {
		t.Errorf("%s: %s has no such text", line, m[3])
	}
	must.Do(t, os.WriteFile(m[4], []byte(strings.Replace(string(text), m[1], m[2], 1)), 0o644))
}

// verifyLine runs svc-verify, and wants the exit code that the note states.
// It returns the output, and the file that the line sends it to.
func verifyLine(t *testing.T, line, note string) (file, content string) {
	t.Helper()
	line, file, redirected := strings.Cut(line, " > ")
	want := 0
	if code, ok := strings.CutPrefix(note, "exit code "); ok {
		want, _ = strconv.Atoi(code)
	}
	code, stdout, stderr := call(nil, strings.Fields(line)[1:]...)
	check.That(t, code == want && (!redirected || stdout != ""),
		"%s: exit code %d, want %d\n%s%s", line, code, want, stdout, stderr)
	return file, stdout
}
