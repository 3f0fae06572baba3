package house_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// opens are the functions of package os that open a file by its name.
var opens = []string{"Open", "OpenFile", "ReadFile", "Create", "WriteFile"}

// openers are the files that may call them, with the reason. All others open through
// package access, which neither waits for a pipe nor reads a device or follows a link
// that it should not.
var openers = map[string]string{
	"internal/access/create_unix.go":            "",
	"internal/access/links_windows.go":          "",
	"internal/access/open.go":                   "",
	"internal/access/aside.go":                  "makes a new file, under a name of its own",
	"internal/cliapp/clitest/terminal_linux.go": "opens a terminal, for tests alone",
	"internal/must/files.go":                    "for tests alone",
	"internal/testca/files.go":                  "for tests alone",
	"internal/vectors/vectors.go":               "for tests alone",
}

// TestOpens: the verifier opens files in one way.
func TestOpens(t *testing.T) {
	used := map[string]bool{}
	for _, r := range house {
		others := []string{"bench", "ci", "fixtures", "harness", "interop", "scripts", "service"}
		if slices.Contains(others, strings.Split(r.folder, "/")[0]) {
			continue // they are no part of the verifier
		}
		eachFile(t, r.folder, func(name string) {
			if strings.HasSuffix(name, "_test.go") {
				return
			}
			for _, call := range opensOf(t, name) {
				_, ok := openers[name]
				check.That(t, ok, "%s calls os.%s: call a function of internal/access", name, call)
				used[name] = true
			}
		})
	}
	for name := range openers {
		_, err := os.Stat(filepath.FromSlash(name))
		check.That(t, err == nil && used[name], "%s opens nothing: take it off the list", name)
	}
}

// opensOf returns the functions that a file of Go uses to open files.
func opensOf(t *testing.T, name string) (calls []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
	must.Do(t, err)
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && slices.Contains(opens, s.Sel.Name) {
			if of, ok := s.X.(*ast.Ident); ok && of.Name == "os" {
				calls = append(calls, s.Sel.Name)
			}
		}
		return true
	})
	return calls
}
