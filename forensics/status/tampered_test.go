package status_test

import (
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/status"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/tamper"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/verify"
)

// TestTamperedFleets plays scripts of package tamper. Whatever was done, the
// revoked certificate is never issued, no other one is revoked, and nothing is issued
// by a log that the walk did not verify.
func TestTamperedFleets(t *testing.T) {
	given := []string{fleet.TenantLog, "journals", fleet.Checkpoints, "cursors", "bundles"}
	genuine := map[string]bool{}
	for _, row := range answered(t, scene(t), given, status.Question{}).rows {
		genuine[row.TransactionID] = true
	}
	for i, s := range tamper.Scripts() {
		if i%4 != 0 || testing.Short() && i%60 != 0 {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			e := scene(t)
			script(s.Name)(t, e)
			here := slices.DeleteFunc(slices.Clone(given), func(name string) bool { return len(e.Names(name)) == 0 })
			if len(here) == 0 {
				return // nothing is left to ask about
			}
			path, root := ingested(t, e, here)
			r := examined(t, path, root)
			a := ask(t, path, root, r, status.Question{})
			at := slices.IndexFunc(r.Logs, func(l walk.LogResult) bool { return l.LogID == "tenant/"+harness.Tenant })
			for _, row := range a.rows {
				switch {
				case row.Status == status.Issued && (r.Logs[at].Verdict != verify.Verified || row.TransactionID == first),
					row.Status == status.Revoked && genuine[row.TransactionID] && row.TransactionID != first,
					row.Verdict == verify.Verified && row.Status == status.Unknown:
					t.Errorf("%+v in a log that is %s", row, r.Logs[at].Verdict)
				}
			}
			for _, f := range r.Findings {
				bad := f.Effect() == finding.Rejects && f.Bearing() == finding.Integrity
				check.That(t, !bad || f.LogID != "tenant/"+harness.Tenant || a.Verdict == verify.Rejected,
					"%s, although %s", a.Verdict, f.Message)
			}
		})
	}
}
