package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/fixtures/kit"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/tamper"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/cliapp/clitest"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/deployment"
)

// run runs the program and returns its exit code and both streams.
func run(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = harnessProgram().Run(args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

func read(t *testing.T, path ...string) string {
	t.Helper()
	return string(must.Get(os.ReadFile(filepath.Join(path...)))(t))
}

func TestEverySceneIsListed(t *testing.T) {
	code, stdout, stderr := run("scenes")
	check.That(t, code == 0 && stderr == "", "exit code %d, stderr %q", code, stderr)
	got, want := strings.Count(stdout, "\n"), len(harness.Scenes())
	check.That(t, got == want, "%d lines, want %d", got, want)
}

func TestSceneIsTheSameEveryTime(t *testing.T) {
	a, b, c := t.TempDir(), t.TempDir(), t.TempDir()
	for _, args := range [][]string{
		{"scene", "issued", "--out", a},
		{"scene", "--out", b, "--seed", "1", "issued"},
		{"scene", "issued", "--seed", "2", "--out", c},
	} {
		if code, stdout, stderr := run(args...); code != 0 || stdout != "" || !strings.Contains(stderr, "scene issued") {
			t.Fatalf("%q: exit code %d, stdout %q, stderr %q", args, code, stdout, stderr)
		}
	}
	for _, name := range []string{"svc-evidence-tx-2026-0001.json", "trust.json", "tenant.ndjson"} {
		check.Equal(t, read(t, a, name), read(t, b, name), "%s differs between two runs", name)
		check.That(t, read(t, a, name) != read(t, c, name), "%s is the same for another seed", name)
	}
}

// TestMessy: a seed makes the same collections each time, and other seeds make others.
func TestMessy(t *testing.T) {
	dir := t.TempDir()
	write := func(name, from, count string) *kit.Corpus {
		file := filepath.Join(dir, name)
		code, stdout, stderr := run("messy", "--seed", from, "--count", count, "--out", file)
		must.That(t, code == 0 && stdout == "", "exit code %d, stdout %q, stderr %q", code, stdout, stderr)
		return must.Get(kit.ReadCorpus([]byte(read(t, file))))(t)
	}
	two, one, same := write("two", "7", "2"), write("one", "8", "1"), write("same", "7", "2")
	check.Equal(t, two.SHA256, same.SHA256, "another archive the second time")
	check.That(t, len(two.Cases) == 0 && len(two.Collections) == 4 && len(one.Collections) == 2, "%d and %d",
		len(two.Collections), len(one.Collections))
	check.Equal(t, two.Collections[1].Name, "collections/altered-0000008", "a name")
	check.Equal(t, fmt.Sprint(two.Collections[1]), fmt.Sprint(one.Collections[0]), "the altered one of seed 8")
	for _, count := range []string{"0", "101"} {
		code, _, stderr := run("messy", "--count", count, "--out", filepath.Join(dir, "none"))
		check.That(t, code == 2 && strings.Contains(stderr, "--count is 1 to 100"), "%d: %s", code, stderr)
	}
}

func TestSceneOverwritesItsOwnFilesOnly(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"note.txt": "mine", "trust.json": "old",
		"tenant.ndjson": strings.Repeat("old\n", 100_000)} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	code, _, stderr := run("scene", "denied", "--out", dir)
	must.That(t, code == 0, "exit code %d: %s", code, stderr)
	check.Equal(t, read(t, dir, "note.txt"), "mine", "note.txt")
	check.That(t, !strings.Contains(read(t, dir, "trust.json")+read(t, dir, "tenant.ndjson"), "old"),
		"an old file was left")
	bundles, _ := filepath.Glob(filepath.Join(dir, "svc-evidence-*"))
	check.That(t, len(bundles) == 0, "a denied transaction left %q", bundles)
}

func TestLengthOfTheLargeScene(t *testing.T) {
	dir := t.TempDir()
	code, _, stderr := run("scene", "large", "--events", "500", "--out", dir)
	must.That(t, code == 0, "exit code %d: %s", code, stderr)
	check.Equal(t, strings.Count(read(t, dir, "tenant.ndjson"), "\n"), 500, "events")
}

// TestFleet: a fleet is written whole, and a script makes the change that it reports and no
// other.
func TestFleet(t *testing.T) {
	a, tampered := t.TempDir(), t.TempDir()
	code, stdout, stderr := run("scene", "fleet", "--events", "250", "--out", a)
	must.That(t, code == 0 && stdout == "", "exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	code, _, stderr = run("scene", "fleet", "--events", "250", "--tamper", "alter-body", "--out", tampered)
	must.That(t, code == 0 && strings.Contains(stderr, "alter-body: event "), "exit code %d, stderr %q", code, stderr)
	journal := filepath.Join("journals", "mesh-berlin-1.ndjson")
	all := below(t, a)
	check.That(t, len(all) >= 60, "only %d files", len(all))
	for _, name := range all {
		check.Equal(t, read(t, a, name) != read(t, tampered, name), name == journal, "%s was changed", name)
	}
}

// below lists the files below a directory.
func below(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	must.Do(t, filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		names = append(names, name)
		return err
	}))
	return names
}

func TestEveryScriptIsListed(t *testing.T) {
	code, stdout, stderr := run("tampers")
	check.That(t, code == 0 && stderr == "" && strings.Count(stdout, "\n") == len(tamper.Scripts()),
		"exit code %d, stderr %q, stdout %q", code, stderr, stdout)
}

func TestWrongUsage(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	file := filepath.Join(t.TempDir(), "file")
	must.Do(t, os.WriteFile(file, nil, 0o600))
	for _, c := range []struct {
		want string // on stderr
		args []string
	}{
		{"unheard-of", []string{"scene", "unheard-of", "--out", dir}},
		{"--out", []string{"scene", "issued"}},
		{"large scene", []string{"scene", "issued", "--out", dir, "--events", "500"}},
		{"large scene", []string{"scene", "large", "--out", dir, "--events", "0"}},
		{"tampers", []string{"scene", "fleet", "--out", dir, "--tamper", "unheard-of"}},
		{"fleet", []string{"scene", "issued", "--out", dir, "--tamper", "alter-body"}},
		{"twice", []string{"scene", "issued", "--out", dir, "--out", dir}},
		{"play", []string{"play"}},
		{"file", []string{"scene", "issued", "--out", file}},
	} {
		code, stdout, stderr := run(c.args...)
		check.That(t, code == 2 && stdout == "" && strings.Contains(stderr, c.want),
			"%q: exit code %d, stdout %q, stderr %q", c.args, code, stdout, stderr)
	}
	check.That(t, os.IsNotExist(check.Err(os.Stat(dir))), "wrong usage left a directory")
}

// TestDeclaredValues: commands.txt has the profiles and operators that a deployment has.
func TestDeclaredValues(t *testing.T) {
	want := map[string][]string{"profile": deployment.Workloads, "operator": deployment.Operators,
		"as": deployment.Operators}
	for _, c := range harnessProgram().Commands {
		for _, f := range c.Flags {
			if values, ok := want[f.Name]; ok {
				check.That(t, slices.Equal(f.Choices, values) && f.Default == values[0], "%s --%s: %q", c.Name, f.Name, f.Choices)
			}
		}
	}
}

// TestMessages: every fault of a command line is reported in a sentence, without a deployment
// and with one that does not run.
func TestMessages(t *testing.T) {
	t.Chdir(t.TempDir())
	must.Get(deployment.Prepare("made",
		deployment.Plan{TenantID: "acme-corp", Nodes: deployment.NodeIDs(2)}))(t)
	for _, dir := range []string{"none", "made"} {
		for _, line := range clitest.BadLines(harnessProgram(), map[string]string{"dir": dir, "out": t.TempDir()}) {
			if runs(line) {
				continue
			}
			_, _, stderr := run(line...)
			check.That(t, clitest.Slip(stderr) == "", "svc-harness %q: %s in %s", line, clitest.Slip(stderr), stderr)
		}
	}
}

// runs reports whether a line may start a program that runs until it is interrupted, plays a
// long scene, or writes a corpus.
func runs(line []string) bool {
	return strings.HasPrefix(strings.Join(line, " "), "messy --out=") ||
		slices.Contains(line, "up") || slices.Contains(line, "run") || slices.Contains(line, "part")
}

// TestTimes: every flag for a time or a duration accepts the same values, and refuses the same
// others in the same words.
func TestTimes(t *testing.T) {
	wrong, flags := clitest.WrongTimes(harnessProgram())
	for _, w := range wrong {
		t.Error(w)
	}
	check.That(t, flags >= 5, "only %d flags were tried", flags)
}

var update = flag.Bool("update", false, "rewrite the generated page")

// TestCommandsDocument: service/docs/svc-harness.md has every command and every
// flag, as --help shows them.
func TestCommandsDocument(t *testing.T) {
	title, rest, _ := strings.Cut(harnessProgram().Markdown(), "\n\n")
	want := title + "\n\nThis page is generated: `make docs`.\n\n" + rest
	path := filepath.Join("..", "..", "docs", "svc-harness.md")
	if *update {
		must.Do(t, os.WriteFile(path, []byte(want), 0o644))
	}
	got, err := os.ReadFile(path)
	check.That(t, err == nil && string(got) == want, "service/docs/svc-harness.md is not up to date (%v): make docs", err)
}
