package verify_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/svc-edge/svc-verify/"

// core is verify and everything below it, with what each may import of the
// project: imports run downwards only.
var core = map[string][]string{
	"internal/safetext":  {},
	"internal/ijson":     {},
	"internal/form":      {"internal/ijson"},
	"internal/eddsa":     {},
	"bundle/certificate": {"internal/eddsa"},
	"chain/event":        {"chain", "internal/form", "internal/ijson"},
	"chain":              {},
	"trust":              {"internal/eddsa", "internal/form", "internal/ijson"},
	"bundle":             {"chain", "bundle/certificate", "chain/event", "internal/form", "internal/ijson", "trust"},
	"verify":             {"bundle", "chain", "bundle/certificate", "internal/safetext", "internal/form", "internal/ijson", "trust"},
}

// forbidden are the packages by which a verdict could depend on something else
// than its input.
var forbidden = []string{"net", "net/http", "os", "os/exec", "log", "log/slog", "io/fs", "io/ioutil", "path/filepath",
	"math/rand", "math/rand/v2", "crypto/rand", "syscall", "unsafe", "plugin", "testing"}

func TestCoreImportsOnlyDownwards(t *testing.T) {
	for name, allowed := range core {
		for path, file := range sources(t, name) {
			for _, spec := range file.Imports {
				imported, _ := strconv.Unquote(spec.Path.Value)
				own, inside := strings.CutPrefix(imported, module)
				if inside && !slices.Contains(allowed, own) {
					t.Errorf("%s imports %s", path, own)
				}
				if slices.Contains(forbidden, imported) {
					t.Errorf("%s imports %s", path, imported)
				}
			}
		}
	}
}

// TestVerifyLinksNoNetwork: whatever the packages below verify import, of the
// standard library and of others, none of them can connect or start a program.
func TestVerifyLinksNoNetwork(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	linked := strings.Fields(string(out))
	if !slices.Contains(linked, strings.TrimSuffix(module, "/")+"/verify") {
		t.Fatalf("verify is not among the packages that it links: %s", out)
	}
	for _, path := range linked {
		if slices.Contains([]string{"net", "net/http", "crypto/tls", "crypto/x509", "os/exec", "plugin"}, path) {
			t.Errorf("verify links %s", path)
		}
	}
}

func TestCoreReadsNoClock(t *testing.T) {
	clock := []string{"Now", "Since", "Until", "After", "Tick", "NewTimer", "NewTicker", "Sleep", "Local", "LoadLocation"}
	for name := range core {
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

// TestVerifyHasNoOptions: what may vary is the policy, whose content is in the
// report; a fourth parameter would be a way around it.
func TestVerifyHasNoOptions(t *testing.T) {
	for _, file := range sources(t, "verify") {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "Verify" {
				if n := f.Type.Params.NumFields(); n != 3 || f.Type.Results.NumFields() != 1 {
					t.Errorf("Verify has %d parameters", n)
				}
				return
			}
		}
	}
	t.Error("no function Verify")
}

// sources parses the non-test files of a package.
func sources(t *testing.T, name string) map[string]*ast.File {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(name), "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]*ast.File{}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files[path] = file
	}
	if len(files) == 0 {
		t.Fatalf("package %s has no sources", name)
	}
	return files
}
