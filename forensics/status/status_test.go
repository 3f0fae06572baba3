package status_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/cases"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/status"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/forge"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/verify"
)

// TestScenarios asks for each transaction by itself, and for all: both say the same.
func TestScenarios(t *testing.T) {
	for i, tt := range readScenarios(t) {
		if testing.Short() && i%4 > 0 {
			continue
		}
		t.Run(tt.name, func(t *testing.T) {
			e := scene(t)
			tt.bend(t, e)
			path, root := ingested(t, e, tt.given)
			r := examined(t, path, root)
			all := ask(t, path, root, r, status.Question{})
			for _, w := range tt.wants {
				a := ask(t, path, root, r, status.Question{TransactionID: w.transactionID})
				row := a.row(t, w.transactionID)
				got := (want{w.transactionID, row.Status, row.Reason, row.CompleteUpTo})
				check.That(t, got == w, "%+v, want %+v; the log: %+v", got, w, a.Logs)
				check.That(t, a.Verdict == row.Verdict,
					"%s: verdict %s, and of the row %s", w.transactionID, a.Verdict, row.Verdict)
				listed := slices.Contains(all.rows, row)
				issued := row.Sequence > 0
				check.That(t, listed == issued, "%s: listed with all others: %t, want %t", w.transactionID, listed, issued)
			}
		})
	}
}

// TestLater: an answer after an examination that does not cover all of the case is
// not definite. One after a new examination is the near miss.
func TestLater(t *testing.T) {
	e := scene(t)
	path, root := ingested(t, e, usual)
	old := examined(t, path, root)
	add(t, path, e, "journals")
	for _, tt := range []struct {
		name   string
		r      *verdict.Result
		reason status.Reason
	}{{"as it was", lastOf(t, path, root), status.LeftOut}, {"again", examined(t, path, root), ""}} {
		for _, id := range []string{first, second} {
			a := ask(t, path, root, tt.r, status.Question{TransactionID: id})
			row := a.row(t, id)
			check.That(t, row.Reason == tt.reason && (len(a.LeftOut) > 0) == (tt.reason != ""),
				"%s: %+v, left out %v", tt.name, row, a.LeftOut)
			check.That(t, (a.Verdict == verify.Verified) == (tt.reason == "") && a.Verdict != verify.Rejected,
				"%s: %s of %s", tt.name, a.Verdict, id)
		}
	}
	check.That(t, len(old.LeftOut) == 0, "%v", old.LeftOut)
}

// TestConcurrent: evidence that comes into the case between the examination and the answer
// counts for nothing.
func TestConcurrent(t *testing.T) {
	e := scene(t)
	path, root := ingested(t, e, usual)
	r := examined(t, path, root)
	a := author(e, last)
	write(e, a, "more.ndjson", "certificate.revoked", second, revocationOf(manifestOf(e, second)))
	write(e, a, "more.ndjson", "issuance.completed", "tx-new", issuanceOf(seal.SHA256([]byte("x"))))
	add(t, path, e, "more.ndjson")
	for id, want := range map[string]status.Reason{second: status.Unverified, "tx-new": status.Unverified, third: ""} {
		row := ask(t, path, root, r, status.Question{TransactionID: id}).row(t, id)
		check.That(t, row.Reason == want, "%s: %+v, want %s", id, row, want)
	}
}

// TestOtherTrustFile: the result of an examination under another trust file is
// refused.
func TestOtherTrustFile(t *testing.T) {
	path, root := ingested(t, scene(t), usual)
	r := examined(t, path, root)
	r.TrustSHA256 = strings.Repeat("0", 64)
	c := must.Get(store.OpenCase(path, cases.As(user)))(t)
	defer c.Close()
	check.That(t, check.Err(status.New(t.Context(), c, root, r, status.Question{})) != nil, "there was no error")
}

// TestForeignCase: the walk that another user kept in the case, and altered, is not
// believed.
func TestForeignCase(t *testing.T) {
	e := scene(t)
	path, root := ingested(t, e, usual)
	good := examined(t, path, root)
	bent := scene(t)
	without(bent, revokedFirst, revokedFirst)
	foreign, _ := ingested(t, bent, usual)
	w := must.Get(store.OpenWrite(foreign, cases.As(2)))(t)
	w.Adopt()
	must.Do(t, errors.Join(good.Keep(w, root, "", nil), w.Close()))
	for name, key := range map[string]byte{"mine": user, "a third one's": 3} {
		r := must.Get(examine.Examined(t.Context(), foreign, root,
			examine.Options{Case: []store.Option{cases.As(key)}}))(t)
		row := ask(t, foreign, root, r, status.Question{TransactionID: first}).row(t, first)
		check.That(t, row.Status == status.Unknown && row.Reason == status.LogIncomplete,
			"under the key %s: %+v", name, row)
	}
}

// TestAll: every log counts for the answer on all certificates, also one without a
// row.
func TestAll(t *testing.T) {
	cut := func(e *fleet.Edited) { without(e, checkpointThird+1, last) }
	for _, tt := range []struct {
		name    string
		bend    func(*fleet.Edited)
		given   []string
		verdict verify.Verdict
		reason  status.Reason
		counts  status.Counts
	}{
		{"definite", cut, usual, verify.Verified, "", status.Counts{Issued: 10, Revoked: 1}},
		{"two in the tail", func(*fleet.Edited) {}, usual, verify.Inconclusive, "",
			status.Counts{Issued: 10, Revoked: 1, Unknown: 2}},
		{"nothing issued", func(e *fleet.Edited) { without(e, 2, last) }, []string{fleet.TenantLog}, verify.Inconclusive,
			status.NothingIssued, status.Counts{}},
		{"no log", cut, []string{"journals"}, verify.Inconclusive, status.NothingIssued, status.Counts{}},
		{"a log that is not here", cut, []string{fleet.Bundle(second)}, verify.Inconclusive, status.NothingIssued,
			status.Counts{}},
		{"revocations beside a gap", func(e *fleet.Edited) {
			e.Edit(fleet.TenantLog, func(lines [][]byte) [][]byte {
				return [][]byte{lines[issuedFirst-1], lines[revokedFirst-1]}
			})
		}, []string{fleet.TenantLog}, verify.Inconclusive, "", status.Counts{Revoked: 1}},
	} {
		e := scene(t)
		tt.bend(e)
		a := answered(t, e, tt.given, status.Question{})
		check.That(t, a.Verdict == tt.verdict && a.Reason == tt.reason && a.Counts == tt.counts,
			"%s: %+v of %+v, %+v", tt.name, a.End, a.rows, a.Logs)
	}
}

// TestTenants: one id can name a transaction of each of two tenants.
func TestTenants(t *testing.T) {
	e := scene(t)
	a := forge.NewAuthor("other", "tenant/other", e.Scene.Tenant[:1], e.Scene.Keys.Audit["audit-2026-1"])
	a.Key = author(e, last).Key
	a.Restart()
	write(e, a, "other.ndjson", "issuance.completed", second, issuanceOf(seal.SHA256([]byte("other"))))
	write(e, a, "other.ndjson", "certificate.revoked", third, revocationOf(seal.SHA256([]byte("third"))))
	path, root := ingested(t, e, append(usual[:3:3], "other.ndjson"))
	r := examined(t, path, root)
	for _, tt := range []struct {
		q       status.Question
		tenants []string
		verdict verify.Verdict
		reason  status.Reason
	}{
		{status.Question{TransactionID: second}, []string{harness.Tenant, "other"}, verify.Inconclusive,
			status.Ambiguous},
		{status.Question{TransactionID: second, TenantID: harness.Tenant}, []string{harness.Tenant}, verify.Verified, ""},
		{status.Question{TransactionID: second, TenantID: "other"}, []string{"other"}, verify.Inconclusive, ""},
		{status.Question{TransactionID: second, TenantID: "none"}, []string{"none"}, verify.Inconclusive, ""},
		{status.Question{TransactionID: third}, []string{harness.Tenant, "other"}, verify.Inconclusive,
			status.Ambiguous},
		{status.Question{TransactionID: first}, []string{harness.Tenant}, verify.Verified, ""},
		{status.Question{TransactionID: "tx-none"}, []string{harness.Tenant, "other"}, verify.Inconclusive, ""},
	} {
		a := ask(t, path, root, r, tt.q)
		var tenants []string
		for _, row := range a.rows {
			tenants = append(tenants, row.TenantID)
		}
		for _, l := range a.Logs {
			check.That(t, tt.q.TenantID == "" || l.TenantID == tt.q.TenantID, "%+v: %+v", tt.q, l)
		}
		check.That(t, slices.Equal(tenants, tt.tenants) && a.Verdict == tt.verdict && a.Reason == tt.reason,
			"%+v: %v, %+v", tt.q, tenants, a.End)
	}
}

// TestTenantByBundle: a tenant has a transaction also if only a bundle states it.
func TestTenantByBundle(t *testing.T) {
	e := scene(t)
	for at, event := range e.Scene.Tenant {
		body := seal.Member(event, "body")
		if seal.Text(body, "type") == "issuance.completed" && seal.Text(body, "transaction_id") == second {
			without(e, at+1, at+1)
		}
	}
	a := author(e, last)
	a.TenantID, a.LogID, a.Log = "other", "tenant/other", seal.NewLog("other", "tenant/other")
	write(e, a, "other.ndjson", "issuance.completed", second, issuanceOf(seal.SHA256([]byte("other"))))
	got := answered(t, e, append(usual[:3:3], "other.ndjson"), status.Question{TransactionID: second})
	check.That(t, len(got.rows) == 2 && got.Reason == status.Ambiguous && got.Verdict != verify.Verified,
		"%+v, %+v", got.End, got.rows)
}
