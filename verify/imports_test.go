package verify_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// core is verify and everything below it.
var core = []string{"internal/safetext", "internal/ijson", "internal/form", "internal/eddsa", "bundle/certificate",
	"finding", "chain/event", "chain", "trust", "bundle", "verify"}

// forbidden are the packages by which a verdict could depend on something else
// than its input.
var forbidden = []string{"net", "net/http", "os", "os/exec", "log", "log/slog", "io/fs", "io/ioutil", "path/filepath",
	"math/rand", "math/rand/v2", "crypto/rand", "syscall", "unsafe", "plugin", "testing"}

// TestCoreImportsNoOutside: a verdict depends on its input alone. The imports between packages
// of the project, and the linked packages, are a rule of the whole project.
func TestCoreImportsNoOutside(t *testing.T) {
	for _, name := range core {
		for path, file := range sources(t, name) {
			for _, spec := range file.Imports {
				imported, _ := strconv.Unquote(spec.Path.Value)
				check.That(t, !slices.Contains(forbidden, imported), "%s imports %s", path, imported)
			}
		}
	}
}

func TestCoreReadsNoClock(t *testing.T) {
	clock := []string{"Now", "Since", "Until", "After", "Tick", "NewTimer", "NewTicker", "Sleep", "Local", "LoadLocation"}
	for _, name := range core {
		for path, file := range sources(t, name) {
			ast.Inspect(file, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					if pkg, ok := s.X.(*ast.Ident); ok && pkg.Name == "time" && slices.Contains(clock, s.Sel.Name) {
						t.Errorf("%s uses time.%s", path, s.Sel.Name)
					}
				}
				return true
			})
		}
	}
}

// TestVerifyHasNoOptions: only the policy may vary, and its content is in the report; a fourth
// parameter would be a way around it.
func TestVerifyHasNoOptions(t *testing.T) {
	for _, file := range sources(t, "verify") {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "Verify" {
				n := f.Type.Params.NumFields()
				check.That(t, n == 3 && f.Type.Results.NumFields() == 1, "Verify has %d parameters", n)
				return
			}
		}
	}
	t.Error("no function Verify")
}

// sources parses the non-test files of a package.
func sources(t *testing.T, name string) map[string]*ast.File {
	t.Helper()
	paths := must.Get(filepath.Glob(filepath.Join("..", filepath.FromSlash(name), "*.go")))(t)
	files := map[string]*ast.File{}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		source := must.Get(os.ReadFile(path))(t)
		file := must.Get(parser.ParseFile(token.NewFileSet(), path, source, parser.SkipObjectResolution))(t)
		files[path] = file
	}
	must.That(t, len(files) != 0, "package %s has no sources", name)
	return files
}
