package eventtype

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestSpecified: SPEC 4.4 names every type, but those that it leaves to a prefix
// or to the adapter.
func TestSpecified(t *testing.T) {
	spec := must.Get(os.ReadFile(filepath.Join("..", "..", "docs", "spec.md")))(t)
	file := must.Get(parser.ParseFile(token.NewFileSet(), "eventtype.go", nil, 0))(t)
	texts := literals(file)
	for _, text := range texts {
		left := strings.HasPrefix(text, "rotation.") || strings.HasPrefix(text, "store.")
		check.That(t, left || strings.Contains(string(spec), "`"+text+"`"), "the specification says nothing of %s", text)
	}
	check.That(t, len(texts) >= 30, "only %d types were looked for", len(texts))
	check.That(t, Closed(NodeReported) && !Closed(IssuancePaused) && Rotation("staged") == "rotation.staged",
		"the types are mixed up")
}

// literals are the texts of a file.
func literals(file *ast.File) []string {
	var texts []string
	ast.Inspect(file, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			if text, err := strconv.Unquote(literal.Value); err == nil {
				texts = append(texts, text)
			}
		}
		return true
	})
	return texts
}
