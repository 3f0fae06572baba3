package verify

import (
	"fmt"

	"github.com/svc-edge/svc-verify/bundle"
)

// limitations lists what this verification does not prove (SPEC 11.3): what no
// bundle can prove, and what this trust file and policy leave open. b is nil if
// the bundle could not be read.
func (r *run) limitations(b *bundle.Bundle) []Limitation {
	all := []Limitation{
		{"as-of-checkpoint", "The status is as of the checkpoint. Nothing shows what happened after it."},
		{"audit-key-holder", "The holder of an audit key could sign a false status, or issue a second certificate " +
			"for the transaction. The full tenant log can show that."},
		{"issuer-not-judged", "The issuing certificate's own validity, name constraints and path length are not checked."},
		{"retired-keys", "Every key in the trust file counts, retired keys included. " +
			"The holder of a retired key can still sign evidence that verifies."},
	}
	if r.policy.MinimumApprovals == 0 {
		all = append(all, Limitation{"minimum-approvals-not-given",
			"No minimum number of approvals was given. The number in the terms counts, and the approvers set the terms."})
	}
	if n, q := int64(len(r.root.Nodes())), r.quorum(b); 2*q <= n {
		all = append(all, Limitation{"split-view-possible", fmt.Sprintf(
			"%d of %d pinned nodes are enough to witness, so two halves of the fleet could honestly witness two histories.",
			q, n)})
	}
	if b != nil && b.Checkpoint.Unverified().Legacy() {
		all = append(all, r.legacyLimitations()...)
	}
	return all
}

func (r *run) legacyLimitations() []Limitation {
	all := []Limitation{{"legacy-checkpoint",
		"The checkpoint is from before witnessing: only the audit key vouches for the log."}}
	if r.policy.LegacyBefore.IsZero() {
		all = append(all, Limitation{"legacy-before-not-given",
			"No latest time for legacy checkpoints was given: the audit key's holder could make one today."})
	}
	return all
}
