package report

import (
	"encoding/csv"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/status"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestStatusCSV: a row has a cell for each member of its JSON, and none that a
// spreadsheet would calculate.
func TestStatusCSV(t *testing.T) {
	var b strings.Builder
	out := must.Get(NewStatusCSV(&b))(t)
	row := status.Row{TenantID: "=1+1", TransactionID: "a,\"b\"\r\n\x1b[2J", Status: status.Issued, Verdict: "verified",
		Reason: "@x", Sequence: 3, OccurredAt: " +x", ManifestSHA256: "m", RevocationSequence: 4, CompleteUpTo: 0,
		Serial:            "-1",
		CertificateSHA256: "c", BundleSHA256: "b"}
	must.Do(t, errors.Join(out.Add(row), out.Close()))
	n := strings.Count(b.String(), "\r\n")
	check.That(t, n == 2, "%d lines: %q", n, b.String())
	rows, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	must.That(t, err == nil && len(rows) == 2, "%v %v", rows, err)
	var members []string
	for i := range reflect.TypeFor[status.Row]().NumField() {
		name, _, _ := strings.Cut(reflect.TypeFor[status.Row]().Field(i).Tag.Get("json"), ",")
		members = append(members, name)
	}
	check.That(t, slices.Equal(rows[0], members), "columns %q, want %q", rows[0], members)
	want := []string{"'=1+1", `a,"b"\r\n\x1b[2J`, "issued", "verified", "'@x", "3", "' +x", "m", "4", "", "'-1", "c", "b",
		"", ""}
	check.That(t, slices.Equal(rows[1], want), "%q, want %q", rows[1], want)
}
