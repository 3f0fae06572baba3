package verify

import (
	"strconv"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/trust"
)

// oneSubject is SPEC 8.2: every statement is of the manifest's tenant and
// transaction, the log is the tenant's, and the bundle is about what the
// caller asked for.
func (r *run) oneSubject(n *notes, b *bundle.Bundle) struct{} {
	s := subjectCheck{n, b.Manifest.Subject}
	s.statement(b.Status.Envelope, b.Status.Unverified().Subject)
	for _, a := range b.Approvals {
		s.statement(a.Envelope, a.Unverified().Subject)
	}
	s.statement(b.Customer.Envelope, b.Customer.Unverified().Subject)
	s.statement(b.Service.Envelope, b.Service.Unverified().Subject)
	for _, c := range b.Capability {
		s.tenant(c.Pointer+"/statement", c.Unverified().TenantID)
	}
	s.statement(b.Receipt.Envelope, b.Receipt.Unverified().Subject)
	if b.Revocation != nil {
		s.statement(b.Revocation.Envelope, b.Revocation.Unverified().Subject)
	}
	checkpoint := b.Checkpoint.Unverified()
	s.log(b.Checkpoint.Pointer+"/statement", checkpoint.TenantID, checkpoint.LogID)
	for _, w := range b.Witnesses {
		s.log(w.Pointer+"/statement", w.Unverified().TenantID, w.Unverified().LogID)
	}
	for _, l := range b.Path {
		if l.Event != nil {
			e := l.Event.Unverified()
			s.log(l.Event.Pointer+"/body", e.TenantID, e.LogID)
			s.transaction(l.Event.Pointer+"/body", e.TransactionID)
		}
	}
	r.asked(n, b)
	return struct{}{}
}

// subjectCheck compares with the manifest's subject.
type subjectCheck struct {
	n    *notes
	want bundle.Subject
}

func (s subjectCheck) statement(e trust.Envelope, got bundle.Subject) {
	s.tenant(e.Pointer+"/statement", got.TenantID)
	s.transaction(e.Pointer+"/statement", got.TransactionID)
}

func (s subjectCheck) tenant(at, got string) {
	s.n.expect(got == s.want.TenantID, OtherTenant, at+"/tenant_id", s.want.TenantID, got)
}

func (s subjectCheck) transaction(at, got string) {
	s.n.expect(got == s.want.TransactionID, OtherTransaction, at+"/transaction_id", s.want.TransactionID, got)
}

func (s subjectCheck) log(at, tenant, log string) {
	s.tenant(at, tenant)
	s.n.expect(log == "tenant/"+s.want.TenantID, OtherLog, at+"/log_id", "tenant/"+s.want.TenantID, log)
}

// asked compares the bundle with what the caller wants it to be about.
func (r *run) asked(n *notes, b *bundle.Bundle) {
	if p := r.policy.TenantID; p != "" {
		n.expect(b.Manifest.TenantID == p, NotAskedFor, "/manifest/tenant_id", "tenant "+strconv.QuoteToASCII(p), b.Manifest.TenantID)
	}
	if p := r.policy.TransactionID; p != "" {
		n.expect(b.Manifest.TransactionID == p, NotAskedFor, "/manifest/transaction_id", "transaction "+strconv.QuoteToASCII(p), b.Manifest.TransactionID)
	}
	if c := r.policy.Certificate; c != nil {
		want, got := digestOf(c), digestOf(b.Leaf.Raw)
		n.expect(want == got, NotAskedFor, "/certificates/0", "certificate "+want.String(), got.String())
	}
}
