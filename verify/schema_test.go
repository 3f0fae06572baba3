package verify_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/schemas/validate"
	"github.com/svc-edge/svc-verify/verify"
)

// TestReportsFollowTheirSchemas: over all conformance cases, what is said is of
// the published form, and the same bytes when it is said again. With -short, one case in
// five is said again.
func TestReportsFollowTheirSchemas(t *testing.T) {
	seen := map[verify.Verdict]int{}
	for i, c := range judgedCases(t) {
		report := c.report
		seen[report.Verdict]++
		text := conforms(t, c.Name, "report", report)
		if i%5 == 0 || !testing.Short() {
			again := must.Get(json.Marshal(verify.Verify(c.in, c.root, c.policy)))(t)
			check.That(t, bytes.Equal(text, again), "%s: a second report has other bytes", c.Name)
		}
		if report.Result == nil {
			conforms(t, c.Name, "result", report.Failure())
			continue
		}
		conforms(t, c.Name, "result", report.Result)
		conforms(t, c.Name, "result", report.Result.Brief())
	}
	check.That(t, len(seen) == 3, "not every verdict occurred: %v", seen)
}

// conforms encodes a document and holds it against a schema.
func conforms(t *testing.T, name, schema string, document any) []byte {
	t.Helper()
	text := must.Get(json.Marshal(document))(t)
	validate.Conforms(t, schema, text, "%s", name)
	return text
}
