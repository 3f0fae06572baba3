package main

import (
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
)

// TestValidateStandardInput: a document can come through standard input.
func TestValidateStandardInput(t *testing.T) {
	code, stdout, _ := call([]byte(`{"nodes":{},"nodes":{}}`), "schema", "validate", "-")
	check.That(t, code == exitRejected && strings.Contains(stdout, "1:13 /nodes: "), "exit %d: %s", code, stdout)
}
