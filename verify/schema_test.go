package verify_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/fixtures"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/schemas/validate"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// TestReportsFollowTheirSchemas: over all conformance cases, what is said is of
// the published form, and the same bytes when it is said again.
func TestReportsFollowTheirSchemas(t *testing.T) {
	cases := must.Get(fixtures.Cases())(t)
	seen := map[verify.Verdict]int{}
	for _, c := range cases {
		root, err := trust.Parse(c.Trust)
		if err != nil {
			continue // a case about a trust file that must be refused
		}
		policy := must.Get(c.Policy.Verify())(t)
		report := verify.Verify(bundle.Open(c.Bundle), root, policy)
		again := verify.Verify(bundle.Open(c.Bundle), root, policy)
		seen[report.Verdict]++
		if !bytes.Equal(conforms(t, c.Name, "report", report), conforms(t, c.Name, "report", again)) {
			t.Errorf("%s: a second report has other bytes", c.Name)
		}
		if report.Result == nil {
			conforms(t, c.Name, "result", report.Failure())
			continue
		}
		conforms(t, c.Name, "result", report.Result)
		conforms(t, c.Name, "result", report.Result.Brief())
	}
	if len(seen) != 3 {
		t.Errorf("not every verdict occurred: %v", seen)
	}
}

// conforms encodes a document and holds it against a schema.
func conforms(t *testing.T, name, schema string, document any) []byte {
	t.Helper()
	text := must.Get(json.Marshal(document))(t)
	violations := must.Get(validate.Document(schema, text))(t)
	for _, v := range violations {
		t.Errorf("%s: %s at %q: %s", name, schema, v.Pointer, v.Message)
	}
	return text
}
