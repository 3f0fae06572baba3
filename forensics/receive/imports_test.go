package receive

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/must"
)

const module = "github.com/svc-edge/svc-verify/"

// TestOnlyTheSinkHasANetwork: of the packages of svc-verify, this package, its command and the
// listener that bounds it alone know how to listen, and none knows how to connect.
func TestOnlyTheSinkHasANetwork(t *testing.T) {
	seen := map[string]bool{}
	for next := []string{"cmd/svc-verify"}; len(next) > 0; next = next[1:] {
		if folder := next[0]; !seen[folder] {
			seen[folder] = true
			next = append(next, examined(t, folder)...)
		}
	}
	if len(seen) < 20 || !seen["forensics/receive"] || !seen["internal/ijson"] {
		t.Errorf("svc-verify is made of %d packages", len(seen))
	}
}

// examined looks at the files of a package, and returns which others of this
// module it imports.
func examined(t *testing.T, folder string) (imports []string) {
	paths := must.Get(filepath.Glob(filepath.Join("..", "..", folder, "*.go")))(t)
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f := must.Get(parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution))(t)
		sink := folder == "forensics/receive" || folder == "internal/netbound" || folder == "cmd/svc-verify" &&
			filepath.Base(path) == "receive.go"
		for _, fault := range network(f, sink) {
			t.Errorf("%s: %s", path, fault)
		}
		for _, spec := range f.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if own, inside := strings.CutPrefix(name, module); err == nil && inside {
				imports = append(imports, own)
			}
		}
	}
	return imports
}

// network returns the uses of the network that a file should not have.
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
		client := []string{"Client", "DefaultClient", "DefaultTransport", "Transport", "Get", "Head", "Post", "PostForm",
			"NewRequest", "NewRequestWithContext"}
		if from != nil && (from.Name == "http" && slices.Contains(client, s.Sel.Name) || from.Name != "os" &&
			strings.HasPrefix(s.Sel.Name, "Dial")) {
			faults = append(faults, "uses "+from.Name+"."+s.Sel.Name)
		}
		return true
	})
	return faults
}
