package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/trust"
)

// TestLintBySchema: the schema names faults where the parser does not look, and nothing twice.
func TestLintBySchema(t *testing.T) {
	keys := ""
	for i := range 1025 {
		keys += fmt.Sprintf(`"a%d":"%s",`, i, strings.Repeat("A", 43))
	}
	for _, c := range []struct {
		audit string
		want  []string
	}{
		{`"a b":1`, []string{"/audit_keys/a b", ""}},
		{keys + `"a b":1,"c":2`, []string{"/audit_keys", "", "/audit_keys/a b", "/audit_keys/c"}},
		{`"a":1,"a":1`, []string{"/audit_keys/a"}},
	} {
		_, err := parseBySchema([]byte(`{"audit_keys":{` + c.audit + `},"nodes":{"n":"` + strings.Repeat("A", 42) + `Q"},` +
			`"protected_signer_keys":{"s":"` + strings.Repeat("B", 42) + `Q"}}`))
		var faults trust.Faults
		check.That(t, errors.As(err, &faults), "%.20s: %v", c.audit, err)
		got := map[string]int{}
		for _, f := range faults {
			got[f.Path]++
			check.That(t, f.Expected != "" && f.Found != "", "%+v", f)
		}
		for _, path := range c.want {
			check.Equal(t, got[path], 1, "%.20s: faults at %q", c.audit, path)
		}
	}
}
