package verify

import (
	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/trust"
)

// oneSubject is SPEC 8.2: every statement is about the tenant and transaction
// of the manifest, and the log is the tenant's.
func oneSubject(r *run, b *bundle.Bundle) {
	s := subjects{r, b.Manifest.Subject}
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
}

// subjects compares statements with the manifest's tenant and transaction.
type subjects struct {
	run      *run
	manifest bundle.Subject
}

func (s subjects) statement(e trust.Envelope, got bundle.Subject) {
	s.tenant(e.Pointer+"/statement", got.TenantID)
	s.transaction(e.Pointer+"/statement", got.TransactionID)
}

// tenant is SPEC 8.2.1.
func (s subjects) tenant(at, got string) {
	equal(s.run, LinkDiffers, at+"/tenant_id", s.manifest.TenantID, got)
}

// transaction is SPEC 8.2.2.
func (s subjects) transaction(at, got string) {
	equal(s.run, LinkDiffers, at+"/transaction_id", s.manifest.TransactionID, got)
}

// log is SPEC 8.2.1 and 8.2.3.
func (s subjects) log(at, tenant, log string) {
	s.tenant(at, tenant)
	equal(s.run, LinkDiffers, at+"/log_id", "tenant/"+s.manifest.TenantID, log)
}
