package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/read"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// docs is the folder of the documents, seen from this one.
var docs = filepath.Join("..", "..", "docs")

// golden compares a generated document with its file, or writes it.
func golden(t *testing.T, name, want string) {
	t.Helper()
	path := filepath.Join(docs, name)
	if *update {
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.Do(t, os.WriteFile(path, []byte(want), 0o644))
		return
	}
	got := must.Get(os.ReadFile(path))(t)
	check.That(t, string(got) == want,
		"docs/%s is not up to date: go test ./cmd/svc-verify -update", filepath.ToSlash(name))
}

func TestCodesDocument(t *testing.T) { golden(t, "codes.md", codesDocument()) }

func TestManualPage(t *testing.T) {
	_, page, _ := call(nil, "man")
	golden(t, filepath.Join("man", "svc-verify.1"), page)
}

// TestExamplesOfTheReference runs every line of docs/cli.md that starts with
// "$ svc-verify", in the scene revoked, and wants the output that is below.
func TestExamplesOfTheReference(t *testing.T) {
	path := must.Get(filepath.Abs(filepath.Join(docs, "cli.md")))(t)
	text := must.Get(os.ReadFile(path))(t)
	t.Chdir(sceneIn(t, "revoked"))
	block := regexp.MustCompile("(?s)```console\n\\$ svc-verify ([^\n]*)\n(.*?)```\n")
	ran := 0
	got := block.ReplaceAllStringFunc(string(text), func(example string) string {
		ran++
		m := block.FindStringSubmatch(example)
		_, stdout, stderr := call(nil, strings.Fields(m[1])...)
		if !*update && stdout+stderr != m[2] {
			t.Errorf("svc-verify %s prints\n%s", m[1], stdout+stderr)
		}
		return "```console\n$ svc-verify " + m[1] + "\n" + stdout + stderr + "```\n"
	})
	check.That(t, ran >= 2, "only %d examples ran", ran)
	if *update {
		must.Do(t, os.WriteFile(path, []byte(got), 0o644))
	}
}

// TestFieldsDocument: docs/cli.md has the names of the fields from which batch ids and
// times are taken, and no others.
func TestFieldsDocument(t *testing.T) {
	text := must.Get(os.ReadFile(filepath.Join(docs, "cli.md")))(t)
	for row, want := range map[string][]string{
		"batch id":             {read.BatchHeader, "--batch-attribute", "labels."},
		"when it was exported": read.Fields.Export,
		"when it was observed": read.Fields.Observed,
	} {
		_, rest, _ := strings.Cut(string(text), "\n| "+row+" | ")
		line, _, _ := strings.Cut(rest, "\n")
		var got []string
		for _, m := range regexp.MustCompile("`([^`]*)`").FindAllStringSubmatch(line, -1) {
			got = append(got, m[1])
		}
		check.That(t, slices.Equal(got, want), "%s: %q, want %q", row, got, want)
	}
}

// TestCommandsDocument: docs/commands.md has every command and every flag, as
// --help shows them.
func TestCommandsDocument(t *testing.T) {
	title, rest, _ := strings.Cut(newProgram().Markdown(), "\n\n")
	const note = "This page is generated: `make docs`. [cli.md](cli.md) says what scripts may rely on."
	golden(t, "commands.md", title+"\n\n"+note+"\n\n"+rest)
}

// TestDependenciesAreArgued: docs/dependencies.md names every module that the code imports,
// and no other: first the main module's imports, then those that only the service has.
func TestDependenciesAreArgued(t *testing.T) {
	text := must.Get(os.ReadFile(filepath.Join(docs, "dependencies.md")))(t)
	main, service, found := strings.Cut(string(text), "\n## The service\n")
	must.That(t, found, "the service's modules have no heading")
	ours := imports(t, filepath.Join("..", ".."))
	argue(t, main, ours)
	both := imports(t, filepath.Join("..", "..", "service"))
	maps.Copy(both, ours)
	argue(t, main+service, both)
}

// argue compares tables of modules with the paths that are imported.
func argue(t *testing.T, text string, imported map[string]bool) {
	t.Helper()
	argued := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(text, -1) {
		module := m[1]
		argued[module] = false
		for path := range imported {
			if path == module || strings.HasPrefix(path, module+"/") {
				argued[module], imported[path] = true, true
			}
		}
	}
	for module, used := range argued {
		check.That(t, used, "%s is argued for and not imported", module)
	}
	for path, ok := range imported {
		check.That(t, ok, "%s is imported and not argued for", path)
	}
}

// imports returns the paths that files of the module at root import from others.
func imports(t *testing.T, root string) map[string]bool {
	found := map[string]bool{}
	must.Do(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if _, other := os.Stat(filepath.Join(path, "go.mod")); err == nil && d.IsDir() && path != root && other == nil {
			return fs.SkipDir // a module of its own
		}
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range file.Imports {
			name := strings.Trim(i.Path.Value, `"`)
			if strings.Contains(strings.Split(name, "/")[0], ".") &&
				!strings.HasPrefix(name, "github.com/svc-edge/svc-verify") {
				found[name] = false
			}
		}
		return nil
	}))
	return found
}
