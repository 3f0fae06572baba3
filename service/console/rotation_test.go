package console_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// Every code of an adapter has words in the Rotation view.
func TestEveryCodeHasWords(t *testing.T) {
	page := must.Get(os.ReadFile("page/rotation.js"))(t)
	file := must.Get(parser.ParseFile(token.NewFileSet(), "../adapter/adapter.go", nil, 0))(t)
	codes := []string{
		"policy_changed", "transaction_expired", "issuance_paused", "quorum_unreachable", "customer_denied",
		"signer_refused", "node_disabled",
		"integration_unavailable", "integration_binding_mismatch", "secret_store_integration_binding_mismatch",
	}
	before := len(codes)
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Values) == 1 {
			if literal, ok := spec.Values[0].(*ast.BasicLit); ok {
				code := must.Get(strconv.Unquote(literal.Value))(t)
				codes = append(codes, code)
			}
		}
		return true
	})
	check.That(t, len(codes) >= before+15, "%d codes of adapters", len(codes)-before)
	for _, code := range codes {
		check.That(t, strings.Contains(string(page), "\n  "+code+`: "`), "%s has no words", code)
	}
}
