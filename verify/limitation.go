package verify

import (
	"slices"
	"strconv"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/finding"
)

// The codes of limitations.
const (
	asOfCheckpoint         Code = "as-of-checkpoint"
	auditKeyHolder         Code = "audit-key-holder"
	issuerNotJudged        Code = "issuer-not-judged"
	retiredKeys            Code = "retired-keys"
	minimumApprovalsAbsent Code = "minimum-approvals-not-given"
	splitViewPossible      Code = "split-view-possible"
	legacyCheckpoint       Code = "legacy-checkpoint"
	legacyBeforeAbsent     Code = "legacy-before-not-given"
	freshnessNotAsked      Code = "freshness-not-asked"
)

// limitationEntries says what each limitation is: {quorum} and {nodes} stand for
// numbers of nodes.
var limitationEntries = finding.Registry{
	{Code: KeysUnknown, Spec: "8.3",
		Sentence: "The trust file lacks keys that evidence names. That evidence was not examined, and may be good.",
		Arises: "A key was rotated, a node enrolled or a registry published after the trust file was collected, " +
			"or someone made a key up.",
		Next: pinOnly},
	{Code: asOfCheckpoint, Spec: "11.3",
		Sentence: "The status is as of the checkpoint. Nothing shows what happened after it.",
		Arises: "A bundle says what the log held at its checkpoint. " +
			"An issued certificate may have been revoked since.",
		Next: "If the present matters, ask the service for a newer bundle, and compare its checkpoint sequence."},
	{Code: auditKeyHolder, Spec: "11.3",
		Sentence: "The holder of an audit key could sign a false status, or issue a second certificate " +
			"for the transaction. The full tenant log can show that.",
		Arises: "The status is signed by the audit key alone, and the log commits to what its holder puts in.",
		Next:   "Walk the full tenant log: a false status and a second issuance both show there."},
	{Code: issuerNotJudged, Spec: "11.3",
		Sentence: "The issuing certificate's own validity, name constraints and path length are not checked.",
		Arises: "The bundle shows that the issuer signed the leaf. " +
			"Whether a relying party would accept the chain is another question.",
		Next: "Validate the chain with the relying party's own roots and rules."},
	{Code: retiredKeys, Spec: "2.3",
		Sentence: "Every key in the trust file counts, retired keys included. " +
			"The holder of a retired key can still sign evidence that verifies.",
		Arises: "Old keys stay in the trust file for as long as evidence made with them is to be verified.",
		Next: "Keep a key in the file only if you trust that its private half was destroyed; " +
			"use a trust file of its own for old evidence."},
	{Code: minimumApprovalsAbsent, Spec: "2.4",
		Sentence: "No minimum number of approvals was given. " +
			"The number in the terms counts, and the approvers set the terms.",
		Arises: "The terms say how many nodes must approve, and the terms are set by those who approve.",
		Next:   "Give --minimum-approvals with the number that your own policy demands."},
	{Code: splitViewPossible, Spec: "5.3",
		Sentence: "{quorum} of {nodes} pinned nodes are enough to witness, " +
			"so two halves of the fleet could honestly witness two histories.",
		Arises: "Twice the quorum is not above the number of pinned nodes, " +
			"so two halves of the fleet could honestly witness two histories of the log.",
		Next: "Raise minimum_audit_witnesses in the trust file above half the number of nodes."},
	{Code: legacyCheckpoint, Spec: "5.4",
		Sentence: "The checkpoint is from before witnessing: only the audit key vouches for the log.",
		Arises:   "The trust file admits checkpoints that no node witnessed.",
		Next: "Use such a trust file for old evidence only, " +
			"and minimum_audit_witnesses of 1 or more for everything else."},
	{Code: legacyBeforeAbsent, Spec: "5.4",
		Sentence: "No latest time for legacy checkpoints was given: the audit key's holder could make one today.",
		Arises:   "Without a latest time, a legacy checkpoint could be of any age.",
		Next:     "Give --legacy-before with the time at which witnessing began."},
	{Code: freshnessNotAsked, Spec: "2.4",
		Sentence: "No largest age was given: an older proof cannot show a later revocation.",
		Arises:   "An old bundle verifies as a new one does. An attacker can hand over one from before a revocation.",
		Next:     "Give --at with the time that matters, and --max-age with the age that you accept."},
}

// Limitations returns the entries of all limitations.
func Limitations() []finding.Entry { return slices.Clone(limitationEntries) }

// limitations lists what this verification does not prove (SPEC 11.3): what no
// bundle can prove, and what this trust file and policy leave open. b is nil if
// the bundle could not be read.
func (r *run) limitations(b *bundle.Bundle) []Limitation {
	codes := []Code{asOfCheckpoint, auditKeyHolder, issuerNotJudged, retiredKeys}
	if !r.policy.asksFresh() {
		codes = slices.Insert(codes, 1, freshnessNotAsked)
	}
	if r.policy.MinimumApprovals == 0 {
		codes = append(codes, minimumApprovalsAbsent)
	}
	nodes, quorum := int64(r.root.NodeCount()), r.quorum(b)
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
		entry, _ := limitationEntries.Lookup(code)
		all = append(all, Limitation{code, finding.Fill(entry.Sentence,
			"{quorum}", strconv.FormatInt(quorum, 10), "{nodes}", strconv.FormatInt(nodes, 10))})
	}
	return all
}
