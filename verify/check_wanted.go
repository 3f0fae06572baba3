package verify

import (
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// asksSubject reports whether the caller demands a subject of the proof.
func (p Policy) asksSubject() bool {
	return p.TenantID != "" || p.TransactionID != "" || p.Certificate != nil || len(p.DNSNames) > 0
}

// subjectWanted is SPEC 8.22: the proof has the subject that the caller demands.
func subjectWanted(r *run, b *bundle.Bundle) {
	m := b.Manifest
	// 8.22.1
	if want := r.policy.TenantID; want != "" {
		r.expect(m.TenantID == want, NotAskedFor, "/manifest/tenant_id",
			"tenant "+safetext.Excerpt(want, safetext.Value), m.TenantID)
	}
	// 8.22.2
	if want := r.policy.TransactionID; want != "" {
		r.expect(m.TransactionID == want, NotAskedFor, "/manifest/transaction_id",
			"transaction "+safetext.Excerpt(want, safetext.Value), m.TransactionID)
	}
	// 8.22.3
	if c := r.policy.Certificate; c != nil {
		want, got := digestOf(c), digestOf(b.Leaf.Raw)
		r.expect(want == got, NotAskedFor, atLeaf, "certificate "+want.String(), got.String())
	}
	// 8.22.4
	for _, name := range r.policy.DNSNames {
		covered := slices.ContainsFunc(m.Terms.Names, func(n string) bool { return coversDNS(n, name) })
		r.expect(covered, NotAskedFor, "/manifest/terms/names",
			"a certificate of dns:"+safetext.Excerpt(name, safetext.Value), strings.Join(firstNames(m.Terms.Names), ", "))
	}
}

// coversDNS reports whether a name of a certificate (SPEC 7.3) is a dns name, or matches it by
// an asterisk for its first label (RFC 9525, 6.3).
func coversDNS(name, want string) bool {
	name, isDNS := strings.CutPrefix(name, "dns:")
	_, rest, _ := strings.Cut(want, ".")
	return isDNS && (name == want || name == "*."+rest)
}

// statusWanted is SPEC 8.24.
func statusWanted(r *run, b *bundle.Bundle) {
	status := b.Status.Unverified().Status
	found := status + " as of " + form.FormatTime(b.Checkpoint.Unverified().CreatedAt)
	if b.Revocation != nil {
		found = status + " at " + form.FormatTime(b.Revocation.Unverified().RevokedAt)
	}
	r.expect(status == r.policy.Status, StatusUnwanted, "/status/statement/status", r.policy.Status, found)
}

// inForce is SPEC 8.25.
func inForce(r *run, b *bundle.Bundle) {
	at, receipt := r.policy.InForceAt, b.Receipt.Unverified()
	asked := "a certificate in force at " + form.FormatTime(at)
	// 8.25.1
	r.expect(!at.Before(receipt.NotBefore) && !at.After(receipt.NotAfter), NotInForce, atLeaf, asked,
		"valid "+form.FormatTime(receipt.NotBefore)+" to "+form.FormatTime(receipt.NotAfter))
	// 8.25.2
	if b.Revocation != nil {
		revoked := b.Revocation.Unverified().RevokedAt
		r.expect(at.Before(revoked), NotInForce, "/revocation_receipt/statement/revoked_at", asked,
			"revoked at "+form.FormatTime(revoked))
	}
}
