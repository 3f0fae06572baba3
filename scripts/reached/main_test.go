package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// run runs git in a folder.
func run(t *testing.T, folder string, args ...string) {
	command := exec.Command("git", append([]string{"-c", "user.name=n", "-c", "user.email=n@example.org"}, args...)...)
	command.Dir = folder
	out, err := command.CombinedOutput()
	check.That(t, err == nil, "git %v: %s", args, out)
}

// TestReachedFolders: a change reaches the package that it is in, those that use it and those whose
// tests use it, and no other; a document reaches none.
func TestReachedFolders(t *testing.T) {
	const all = "./alone ./fixtures ./low ./tested ./top"
	for name, one := range map[string]struct{ file, want string }{
		"code":                  {"low/low.go", "./low ./tested ./top"},
		"data below a package":  {"low/testdata/deep/a.json", "./low ./tested ./top"},
		"a test":                {"top/top_test.go", "./top"},
		"a test and its code":   {"top/top_test.go top/top.go", "./tested ./top"},
		"a package of tests":    {"tested/tested.go", "./tested"},
		"another module":        {"interop/x/x.go", ""},
		"its dependencies":      {"interop/x/go.mod", ""},
		"a document":            {"docs/a.txt", ""},
		"a document elsewhere":  {"low/README.md", ""},
		"dependencies":          {"go.sum", all},
		"how tests are run":     {"scripts/fuzz.sh", all},
		"fixtures":              {"fixtures/a/b.json", all},
		"a fixture's maker":     {"fixtures/gen.go", "./fixtures"},
		"nothing":               {"", ""},
		"a document and a code": {"docs/a.txt alone/alone.go", "./alone"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			write := func(name, text string) {
				path := filepath.Join(folder, filepath.FromSlash(name))
				must.Do(t, os.MkdirAll(filepath.Dir(path), 0o700))
				must.Do(t, os.WriteFile(path, []byte(text), 0o600))
			}
			write("go.mod", "module example.org/m\n\ngo 1.24\n")
			write("low/low.go", "package low\n")
			write("top/top.go", "package top\n\nimport _ \"example.org/m/low\"\n")
			write("alone/alone.go", "package alone\n")
			write("tested/tested.go", "package tested\n")
			write("tested/tested_test.go", "package tested_test\n\nimport _ \"example.org/m/top\"\n")
			write("top/top_test.go", "package top\n")
			write("fixtures/gen.go", "package fixtures\n")
			write("interop/x/go.mod", "module example.org/x\n\ngo 1.24\n")
			write("interop/x/x.go", "package x\n")
			run(t, folder, "init", "-q")
			run(t, folder, "add", ".")
			run(t, folder, "commit", "-qm", "before")
			for file := range strings.FieldsSeq(one.file) {
				before, _ := os.ReadFile(filepath.Join(folder, file))
				write(file, string(before)+"\n")
			}
			run(t, folder, "add", ".")
			run(t, folder, "commit", "-qm", "after", "--allow-empty")
			for commit, want := range map[string]string{"HEAD~": one.want, "HEAD": "", "": all, "0123456789": all} {
				found := must.Get(reachedFolders(folder, commit))(t)
				check.That(t, slices.Equal(found, strings.Fields(want)), "since %q: %v, not %s", commit, found, want)
			}
		})
	}
}
