package verify

import (
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/finding"
)

// limitations lists the limits of this verification (SPEC 11.3): those of every bundle, and
// those of this trust file and policy. b is nil if the bundle could not be read.
func (r *run) limitations(b *bundle.Bundle) []Limitation {
	codes := []Code{asOfCheckpoint, auditKeyHolder, issuerNotJudged, retiredKeys}
	if !r.policy.asksFresh() {
		codes = slices.Insert(codes, 1, freshnessNotAsked)
	}
	if r.policy.MinimumApprovals == 0 {
		codes = append(codes, minimumApprovalsAbsent)
	}
	nodes, quorum := int64(r.root.NodeCount()), r.neededWitnesses(b)
	if 2*quorum <= nodes {
		codes = append(codes, splitViewPossible)
	}
	if b != nil && b.Checkpoint.Unverified().Legacy() {
		codes = append(codes, legacyCheckpoint)
		if r.policy.LegacyBefore.IsZero() {
			codes = append(codes, legacyBeforeAbsent)
		}
	}
	var all []Limitation
	for _, code := range codes {
		all = append(all, LimitationOf(code, "{found}", fmt.Sprintf("%d of %d", quorum, nodes)))
	}
	return all
}

// LimitationOf returns a limitation by its code, with the values of its sentence.
func LimitationOf(code Code, values ...string) Limitation {
	return Limitation{Code: code, Sentence: finding.Fill(code.Sentence(), values...)}
}
