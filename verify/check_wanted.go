package verify

import (
	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/form"
)

// asksStatus reports whether the caller wants one of the two statuses.
func (p Policy) asksStatus() bool { return p.Status != "" }

// statusWanted is SPEC 8.23. It runs only for a proven bundle, so its finding can
// say that the proof is genuine.
func statusWanted(r *run, b *bundle.Bundle) {
	status := b.Status.Unverified().Status
	found := status + " as of " + form.FormatTime(b.Checkpoint.Unverified().CreatedAt)
	if b.Revocation != nil {
		found = status + " at " + form.FormatTime(b.Revocation.Unverified().RevokedAt)
	}
	r.expect(status == r.policy.Status, finding.StatusUnwanted, "/status/statement/status", r.policy.Status, found)
}
