package receive

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestOnlyTheSinkHasANetwork: of what makes up svc-verify, this package and its
// command alone know how to listen, and nothing knows how to connect.
func TestOnlyTheSinkHasANetwork(t *testing.T) {
	root := filepath.Join("..", "..")
	allowed := []string{"cmd/svc-verify/case_receive.go"}
	files := 0
	for _, top := range []string{"bundle", "chain", "cmd/svc-verify", "fixtures", "forensics", "internal", "schemas", "trust", "verify"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, entry fs.DirEntry, err error) error {
			name, relErr := filepath.Rel(root, path)
			name = filepath.ToSlash(name)
			if err != nil || relErr != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "forensics/receive/receivetest/") {
				return err
			}
			files++
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			sink := strings.HasPrefix(name, "forensics/receive/") || slices.Contains(allowed, name)
			for _, fault := range network(f, sink) {
				t.Errorf("%s: %s", name, fault)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 100 {
		t.Errorf("only %d files", files)
	}
}

// network returns what a file should not have to do with the network.
func network(f *ast.File, sink bool) (faults []string) {
	for _, spec := range f.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil || slices.Contains([]string{"net", "net/http", "net/rpc", "net/smtp", "crypto/tls"}, path) && !sink {
			faults = append(faults, "imports "+spec.Path.Value)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		from, _ := s.X.(*ast.Ident)
		client := []string{"Client", "DefaultClient", "DefaultTransport", "Transport", "Get", "Head", "Post", "PostForm", "NewRequest", "NewRequestWithContext"}
		if from != nil && (from.Name == "http" && slices.Contains(client, s.Sel.Name) || from.Name != "os" && strings.HasPrefix(s.Sel.Name, "Dial")) {
			faults = append(faults, "uses "+from.Name+"."+s.Sel.Name)
		}
		return true
	})
	return faults
}
