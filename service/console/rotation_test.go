package console_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"
)

// Every code of an adapter has words in the Rotation view.
func TestEveryCodeHasWords(t *testing.T) {
	page, err := os.ReadFile("page/rotation.js")
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), "../adapter/adapter.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	codes := []string{
		"policy_changed", "transaction_expired", "issuance_paused", "quorum_unreachable", "customer_denied",
		"signer_refused", "node_disabled",
		"integration_unavailable", "integration_binding_mismatch", "secret_store_integration_binding_mismatch",
	}
	before := len(codes)
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Values) == 1 {
			if literal, ok := spec.Values[0].(*ast.BasicLit); ok {
				code, err := strconv.Unquote(literal.Value)
				if err != nil {
					t.Fatal(err)
				}
				codes = append(codes, code)
			}
		}
		return true
	})
	if len(codes) < before+15 {
		t.Errorf("%d codes of adapters", len(codes)-before)
	}
	for _, code := range codes {
		if !strings.Contains(string(page), "\n  "+code+`: "`) {
			t.Errorf("%s has no words", code)
		}
	}
}
