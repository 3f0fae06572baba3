package crosscheck

import (
	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Said returns the statements of a bundle that verifies as one sentence.
func (b *Bundle) Said() string {
	if b.SupersededBy != "" {
		return "superseded by " + safetext.Quote(b.SupersededBy) + ": it says " + b.About.Sentence()
	}
	return b.About.Sentence()
}

// Proofs returns the bundles that verify.
func (r *Result) Proofs() (all []Bundle) {
	for _, b := range r.Bundles {
		if b.About != nil {
			all = append(all, b)
		}
	}
	return all
}

// supersede marks the bundles whose status does not count, since another one is a
// later proof of the same transaction (SPEC 14.2).
func (r *Result) supersede() {
	type about struct {
		tenant, transaction string
		revoked             bool // among the revoked ones alone
	}
	newest := map[about]*Bundle{}
	for i := range r.Bundles {
		b := &r.Bundles[i]
		for _, revoked := range []bool{false, true} {
			key := about{b.TenantID, b.TransactionID, revoked}
			known := newest[key]
			if b.About != nil && (!revoked || b.Status == bundle.Revoked) && (known == nil || b.Checkpoint > known.Checkpoint) {
				newest[key] = b
			}
		}
	}
	for i := range r.Bundles {
		b := &r.Bundles[i]
		by := newest[about{b.TenantID, b.TransactionID, b.Status == bundle.Revoked}]
		if b.About != nil && by.Checkpoint > b.Checkpoint {
			b.SupersededBy = by.Name
		}
	}
}
