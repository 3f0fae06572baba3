package verify

import (
	"fmt"

	"github.com/svc-edge/svc-verify/bundle"
)

// limitations lists what this verification does not prove (SPEC 11.3): what no
// bundle can, and what this trust file and policy leave open. b is nil when
// the bundle could not be read.
func (r *run) limitations(b *bundle.Bundle) []Limitation {
	all := []Limitation{
		{"as-of-checkpoint", "The status is as of the checkpoint. Nothing shows what happened after it."},
		{"audit-key-holder", "The holder of an audit key could sign a false status, or issue a second certificate for the transaction. " +
			"The full tenant log can show that."},
		{"issuer-not-judged", "The issuing certificate's own validity, name constraints and path length are not judged."},
		{"retired-keys", "Every key of the trust file counts, a retired one too: whoever still holds it can still vouch."},
	}
	if r.policy.MinimumApprovals == 0 {
		all = append(all, Limitation{"minimum-approvals-not-given",
			"No minimum of approvals was given: the number that the terms demand counts, and those who approve set the terms."})
	}
	if n, q := int64(len(r.root.Nodes())), r.quorum(b); 2*q <= n {
		all = append(all, Limitation{"split-view-possible", fmt.Sprintf(
			"%d of %d pinned nodes suffice to witness, so two halves of the fleet could honestly witness two histories.", q, n)})
	}
	if b != nil && b.Checkpoint.Unverified().Legacy() {
		all = append(all, r.legacyLimitations()...)
	}
	return all
}

func (r *run) legacyLimitations() []Limitation {
	all := []Limitation{{"legacy-checkpoint", "The checkpoint is from before witnessing: the audit key alone vouches for the log."}}
	if r.policy.LegacyBefore.IsZero() {
		all = append(all, Limitation{"legacy-before-not-given",
			"No latest time for legacy checkpoints was given: the audit key's holder could make one today."})
	}
	return all
}
