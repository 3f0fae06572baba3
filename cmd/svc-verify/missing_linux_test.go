package main

import (
	"bytes"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/cliapp"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/internal/testca"
)

// unfitCommands are lines of [fileCommands] in which other files than the missing one would be refused.
var unfitCommands = []string{"verify --trust <trust.json --expect-digests <names", "trust init", "receive"}

// withoutPaths are the commands that read no file that is named.
var withoutPaths = []string{"explain", "schema", "version"}

// readValues are the values in the help of flags that name inputs, and writtenFlags are the
// flags among them that name outputs.
var (
	readValues = []string{"FILE", "LEDGER", "TRUST", "SEAL", "PROOF", "PEM", "LIST", "PLAN", "BUNDLE", "DIR", "KEYFILE",
		"ID=SOURCE", "GENERATION=SOURCE"}
	writtenFlags = []string{"out", "tar", "request", "temp-dir", "base", "save-contradictions"}
)

// allFileCommands returns the lines of fileCommands in which any file can be missing.
func allFileCommands(t *testing.T) (lines []string) {
	t.Helper()
	for _, c := range fileCommands(t) {
		unfit := func(u string) bool { return strings.HasPrefix(c.line, u) }
		if c.code == "-" || !slices.ContainsFunc(unfitCommands, unfit) {
			lines = append(lines, c.line)
		}
	}
	return lines
}

// TestEveryPathIsTried: the lines have every command that accepts a path, with every flag that
// accepts one.
func TestEveryPathIsTried(t *testing.T) {
	lines := allFileCommands(t)
	var tried func(name string, all []*cliapp.Command)
	tried = func(name string, all []*cliapp.Command) {
		for _, c := range all {
			name := strings.TrimSpace(name + " " + c.Name)
			tried(name, c.Commands)
			if len(c.Commands) > 0 || slices.Contains(withoutPaths, name) {
				continue
			}
			has := func(word string) bool {
				return slices.ContainsFunc(lines, func(line string) bool {
					return strings.HasPrefix(line, name+" ") && strings.Contains(line, word)
				})
			}
			check.That(t, has(""), "%s: no line has it", name)
			for _, f := range c.Flags {
				if slices.Contains(readValues, f.Value) && !slices.Contains(writtenFlags, f.Name) && !has(" --"+f.Name+" ") {
					t.Errorf("%s: no line has --%s %s", name, f.Name, f.Value)
				}
			}
		}
	}
	tried("", newProgram().Commands)
}

// mayBeMissing reports whether a word names a path that is made if it is not there, or that
// may be gone: a ledger shows that its archive was there.
func mayBeMissing(args []string, i int) bool {
	if i == 1 && (args[0] == "ingest" || args[0] == "receive") {
		return true // a case
	}
	switch args[i-1] {
	case "--out", "--tar", "--request":
		return true
	case "export":
		return args[0] == "conformance"
	case "--ledger":
		return args[0] == "archive" && args[1] == "check"
	case "check":
		return args[0] == "archive"
	}
	return strings.HasPrefix(strings.Join(args, " "), "trust history --add") && i == len(args)-1
}

// TestMissingPaths: a path that was named and is not there ends every command with 2 and
// one line that names it, before anything is written.
func TestMissingPaths(t *testing.T) {
	dir, lines := fileScene(t), allFileCommands(t)
	t.Chdir(dir)
	must.WriteFile(t, "digests", strings.Repeat("0", 64)+"  bundle.json\n")
	testca.New("ca").Files(dir)
	before := must.FilesBelow(t, ".")
	for _, line := range lines {
		args, _ := openedBy(line)
		for i, word := range args {
			start := strings.LastIndexAny(word, "=") + 1
			path := strings.TrimPrefix(word[start:], "./")
			if _, err := os.Lstat(path); err != nil || i == 0 || mayBeMissing(args, i) {
				continue
			}
			changed := slices.Clone(args)
			changed[i] = strings.Replace(word, path, "nowhere/"+path, 1)
			missing(t, changed, "nowhere/"+path)
			after := must.FilesBelow(t, ".")
			must.That(t, maps.EqualFunc(after, before, bytes.Equal), "%q: it left files behind, or changed some:\n%q\n"+
				"before:\n%q", changed, slices.Sorted(maps.Keys(after)), slices.Sorted(maps.Keys(before)))
		}
	}
}

// missing runs a command with a path that is not there.
func missing(t *testing.T, args []string, path string) {
	t.Helper()
	code, stdout, stderr := call(nil, args...)
	first, rest, _ := strings.Cut(stderr, "\n")
	check.That(t, (rest == "" || strings.HasPrefix(rest, "Run '")) && strings.Count(rest, "\n") <= 1,
		"%q: more than one line:\n%s", args, stderr)
	check.That(t, code == cliapp.ExitFailure && stdout == "" && strings.Contains(first, path),
		"%q: exit %d, %q does not name %s\n%s", args, code, first, path, stdout)
}
