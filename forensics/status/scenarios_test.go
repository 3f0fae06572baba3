package status_test

import (
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/status"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/forge"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/harness/tamper"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/verify"
)

// want is the answer on one transaction.
type want struct {
	transactionID string
	status        status.Status
	reason        status.Reason
	complete      uint64
}

// scenario is evidence, and what it says of transactions.
type scenario struct {
	name  string
	bend  func(testing.TB, *fleet.Edited)
	given []string // nil for the usual
	wants []want
}

var scenarios = []scenario{
	{"whole", nil, nil, []want{
		{first, status.Revoked, "", checkpointThird},
		{second, status.Issued, "", checkpointThird},
		{third, status.Issued, "", checkpointThird},
		{late, status.Unknown, status.AfterCheckpoint, checkpointThird},
		{"tx-none", status.NotIssued, status.NotInLog, checkpointThird}}},
	{"without a bundle", nil, []string{fleet.TenantLog}, []want{
		{first, status.Revoked, "", 0}, {second, status.Unknown, status.AfterCheckpoint, 0},
		{"tx-none", status.Unknown, status.AfterCheckpoint, 0}}},
	{"a checkpoint without witnesses", nil, []string{fleet.TenantLog, fleet.Checkpoints}, []want{
		{first, status.Revoked, "", 0}, {second, status.Unknown, status.AfterCheckpoint, 0}}},
	{"a bundle alone", nil, []string{fleet.Bundle(first)}, []want{
		{first, status.Revoked, "", 0}, {second, status.Unknown, status.LogIncomplete, 0}}},

	{"a gap over the revocation", onLog(func(e *fleet.Edited) { without(e, revokedFirst, revokedFirst) }), nil,
		[]want{{first, status.Unknown, status.LogIncomplete, checkpointSecond},
			{second, status.Unknown, status.LogIncomplete, checkpointSecond},
			{"tx-none", status.Unknown, status.LogIncomplete, checkpointSecond}}},
	{"the same, and a bundle with the revocation",
		onLog(func(e *fleet.Edited) { without(e, revokedFirst, revokedFirst) }), append(usual[:3:3], fleet.Bundle(first)),
		[]want{{first, status.Revoked, "", checkpointSecond}, {second, status.Unknown, status.LogIncomplete,
			checkpointSecond}}},
	{"a gap over another event", onLog(func(e *fleet.Edited) { without(e, 150, 150) }), nil,
		[]want{{first, status.Revoked, "", checkpointSecond}, {second, status.Unknown, status.LogIncomplete,
			checkpointSecond}}},
	{"a gap over the issuance", onLog(func(e *fleet.Edited) { without(e, issuedFirst, issuedFirst) }), nil,
		[]want{{first, status.Revoked, "", 0}}},
	{"without the beginning", onLog(func(e *fleet.Edited) { without(e, 1, 10) }), nil,
		[]want{{first, status.Revoked, "", 0}, {second, status.Unknown, status.LogIncomplete, 0}}},
	{"a gap in the tail", onLog(func(e *fleet.Edited) { without(e, 240, 240) }), nil,
		[]want{{second, status.Unknown, status.LogIncomplete, checkpointThird}}},

	{"cut at a checkpoint, before the revocation",
		onLog(func(e *fleet.Edited) { without(e, checkpointSecond+1, last) }),
		[]string{fleet.TenantLog, fleet.Bundle(second)},
		[]want{{first, status.Issued, "", checkpointSecond}, {second, status.Issued, "", checkpointSecond}}},
	{"a revocation in the unanchored tail", nil, []string{fleet.TenantLog, fleet.Bundle(second)},
		[]want{{first, status.Revoked, "", checkpointSecond}, {second, status.Issued, "", checkpointSecond},
			{third, status.Unknown, status.AfterCheckpoint, checkpointSecond}}},
	{"an unanchored tail that ends before the revocation",
		onLog(func(e *fleet.Edited) { without(e, revokedFirst, last) }), []string{fleet.TenantLog, fleet.Bundle(second)},
		[]want{{first, status.Issued, "", checkpointSecond}}},
	{"the same, with a checkpoint above", onLog(func(e *fleet.Edited) { without(e, revokedFirst, last) }), nil,
		[]want{{first, status.Unknown, status.LogIncomplete, checkpointSecond}}},
	{"the same, with one that has no witness", onLog(func(e *fleet.Edited) { without(e, revokedFirst, last) }),
		[]string{fleet.TenantLog, fleet.Bundle(second), fleet.Checkpoints},
		[]want{{first, status.Unknown, status.LogIncomplete, checkpointSecond}}},

	{"a span that cannot be read", onLog(func(e *fleet.Edited) { e.AddLine(fleet.TenantLog, junk) }), nil,
		[]want{{first, status.Revoked, "", checkpointThird}, {second, status.Unknown, status.Unread, checkpointThird},
			{"tx-none", status.Unknown, status.Unread, checkpointThird}}},
	{"another file that cannot be read", onLog(func(e *fleet.Edited) { e.Put("other.ndjson", junk) }),
		append(usual[:3:3], "other.ndjson"), []want{{second, status.Unknown, status.Unread, checkpointThird}}},

	{"an altered event", onLog(func(e *fleet.Edited) {
		e.OnLine(fleet.TenantLog, 100, forge.OnLine(forge.AlterSalt))
	}), nil, []want{{first, status.Revoked, status.LogRejected, 0}, {second, status.Unknown, status.LogRejected, 0}}},
	{"an altered copy beside", onLog(func(e *fleet.Edited) {
		e.AddLine(fleet.TenantLog, forge.OnLine(forge.AlterSalt)(seal.Canonical(e.Scene.Tenant[99])))
	}), nil, []want{{second, status.Unknown, status.LogRejected, checkpointThird}}},
	{"altered copies of the issuance beside", onLog(func(e *fleet.Edited) {
		for _, alter := range []func(seal.Object){forge.AlterSalt, forge.AlterHash("skip_hash")} {
			e.AddLine(fleet.TenantLog, forge.OnLine(alter)(seal.Canonical(e.Scene.Tenant[checkpointSecond-1])))
		}
	}), nil, []want{{second, status.Unknown, status.LogRejected, checkpointThird}}},
	{"a forged revocation in the place of an event", onLog(func(e *fleet.Edited) {
		e.OnLine(fleet.TenantLog, 240, forge.OnLine(func(event seal.Object) {
			body := seal.Member(event, "body")
			body["type"], body["transaction_id"] = "certificate.revoked", second
			body["data"] = revocationOf(manifestOf(e, second))
		}))
	}), nil, []want{{second, status.Unknown, status.LogRejected, checkpointThird},
		{first, status.Revoked, status.LogRejected, checkpointThird}}},
	{"an issuance that nobody signed", onLog(func(e *fleet.Edited) {
		e.OnLine(fleet.TenantLog, issuedLate, forge.OnLine(forge.RenameKey("nobody")))
	}), nil, []want{{late, status.Unknown, status.LogOpen, checkpointThird},
		{second, status.Unknown, status.LogOpen, checkpointThird}}},
	{"an altered journal", onLog(func(e *fleet.Edited) {
		e.OnLine(fleet.Journal("mesh-berlin-1"), 3, forge.OnLine(forge.AlterSalt))
	}), append(usual[:3:3], fleet.Journal("mesh-berlin-1")), []want{{second, status.Issued, "", checkpointThird}}},

	{"a fork", onLog(func(e *fleet.Edited) {
		a := author(e, 200)
		write(e, a, "fork.ndjson", "integration.changed", "", seal.Object{})
		write(e, a, "fork.ndjson", "certificate.revoked", second, revocationOf(manifestOf(e, second)))
	}), append(usual[:3:3], "fork.ndjson"), []want{{first, status.Revoked, status.LogRejected, checkpointThird},
		{second, status.Revoked, status.LogRejected, checkpointThird},
		{third, status.Unknown, status.LogRejected, checkpointThird}}},
	{"a withheld revocation", script("withheld-revocation"), append(usual[:3:3], fleet.Bundle(first)),
		[]want{{first, status.Revoked, status.LogRejected, checkpointThird},
			{second, status.Unknown, status.LogRejected, checkpointThird}}},
	{"a witness of another history", script("witness-other-history"), append(usual[:3:3], "journals"),
		[]want{{second, status.Unknown, status.LogOpen, checkpointFourth}}},
	{"issued twice", onLog(func(e *fleet.Edited) {
		write(e, author(e, last), fleet.TenantLog, "issuance.completed", "tx-2026-1002",
			issuanceOf(seal.SHA256([]byte("x"))))
	}), nil, []want{{second, status.Unknown, status.LogRejected, checkpointThird}}},
	{"revoked twice", onLog(func(e *fleet.Edited) {
		write(e, author(e, last), fleet.TenantLog, "certificate.revoked", first, revocationOf(manifestOf(e, first)))
	}), nil, []want{{first, status.Revoked, status.LogRejected, checkpointThird}}},

	{"a revocation after the end", onLog(func(e *fleet.Edited) {
		write(e, author(e, last), fleet.TenantLog, "certificate.revoked", second, revocationOf(manifestOf(e, second)))
	}), nil, []want{{second, status.Revoked, "", checkpointThird}, {third, status.Issued, "", checkpointThird}}},
	{"one that nobody signed", onLog(func(e *fleet.Edited) {
		a := author(e, last)
		a.Key = forge.Stranger(a.Key.ID)
		write(e, a, fleet.TenantLog, "certificate.revoked", second, revocationOf(manifestOf(e, second)))
	}), nil, []want{{second, status.Unknown, status.LogRejected, checkpointThird}}},
	{"one of another manifest", onLog(func(e *fleet.Edited) {
		write(e, author(e, last), fleet.TenantLog, "certificate.revoked", second, revocationOf(seal.SHA256([]byte("x"))))
	}), []string{fleet.TenantLog, fleet.Bundle(third)}, []want{
		{second, status.Revoked, status.Contradictory, checkpointThird}, {third, status.Issued, "", checkpointThird}}},
	{"one of another transaction", onLog(func(e *fleet.Edited) {
		write(e, author(e, last), fleet.TenantLog, "certificate.revoked", "tx-none", revocationOf(manifestOf(e, second)))
	}), []string{fleet.TenantLog, fleet.Bundle(third)}, []want{
		{second, status.Unknown, status.Contradictory, checkpointThird}, {"tx-none", status.Revoked, "", checkpointThird}}},
	{"one before the issuance", onLog(func(e *fleet.Edited) {
		a := author(e, last)
		write(e, a, fleet.TenantLog, "certificate.revoked", "tx-none", revocationOf(seal.SHA256([]byte("x"))))
		write(e, a, fleet.TenantLog, "issuance.completed", "tx-none", issuanceOf(seal.SHA256([]byte("x"))))
	}), nil, []want{{"tx-none", status.Revoked, status.Contradictory, checkpointThird}}},
}

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
