package main

import (
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
)

// topic is all that there is to say about one code that the program prints: of
// a finding, a limitation, a fault of a trust file or a notice about one.
type topic struct {
	code, group, spec, sentence, arises, next string
}

// The groups of topics beside the checks.
const (
	groupVerdict     = "verdict"
	groupLimitations = "limitations"
	groupFaults      = "faults of a trust file"
	groupNotices     = "notices about a trust file"
)

// topics returns every topic, group by group.
func topics() []topic {
	var all []topic
	for _, e := range verify.Codes() {
		group := string(e.Check)
		if group == "" {
			group = groupVerdict
		}
		all = append(all, topic{string(e.Code), group, e.Spec, e.Sentence, e.Arises, e.Next})
	}
	all = append(all, limitationTopics...)
	all = append(all, faultTopics...)
	for _, r := range trust.Rules() {
		all = append(all, topic{r.Code, groupNotices, r.Spec, r.Sentence, r.Why, r.Next})
	}
	return all
}

const pinAgain = "Mend the trust file from keys that were collected independently (svc-verify trust init), and compare fingerprints."

var faultTopics = []topic{
	{trust.WeakKey, groupFaults, "2.2", "{path}: expected {expected}, found {found}", "A key is not a canonical point of the curve, or of small order: signatures for it can be made without a private key.", pinAgain},
	{trust.DuplicateKey, groupFaults, "2.2", "{path}: expected {expected}, found {found}", "One public key stands in the file twice: under two names it would count twice, in two roles it could sign what it should only witness.", pinAgain},
}

var limitationTopics = []topic{
	{"as-of-checkpoint", groupLimitations, "11.3", "", "A bundle says what the log held at its checkpoint. An issued certificate may have been revoked since.",
		"If the present matters, ask the service for a newer bundle, and compare its checkpoint sequence."},
	{"audit-key-holder", groupLimitations, "11.3", "", "The status is signed by the audit key alone, and the log commits to what its holder puts in.",
		"Walk the full tenant log: a false status and a second issuance both show there."},
	{"issuer-not-judged", groupLimitations, "11.3", "", "The bundle shows that the issuer signed the leaf. Whether a relying party would accept the chain is another question.",
		"Validate the chain with the relying party's own roots and rules."},
	{"retired-keys", groupLimitations, "2.3", "", "Old keys stay in the trust file for as long as evidence made with them is to be verified.",
		"Keep a key in the file only if you trust that its private half was destroyed; use a trust file of its own for old evidence."},
	{"minimum-approvals-not-given", groupLimitations, "2.4", "", "The terms say how many nodes must approve, and the terms are set by those who approve.",
		"Give --minimum-approvals with the number that your own policy demands."},
	{"split-view-possible", groupLimitations, "5.3", "", "Twice the quorum is not above the number of pinned nodes, so two halves of the fleet could honestly witness two histories of the log.",
		"Raise minimum_audit_witnesses in the trust file above half the number of nodes."},
	{"legacy-checkpoint", groupLimitations, "5.4", "", "The trust file admits checkpoints that no node witnessed.",
		"Use such a trust file for old evidence only, and minimum_audit_witnesses of 1 or more for everything else."},
	{"legacy-before-not-given", groupLimitations, "5.4", "", "Without a latest time, a legacy checkpoint could be of any age.",
		"Give --legacy-before with the time at which witnessing began."},
}

// findTopic returns the topic of a code.
func findTopic(code string) (topic, bool) {
	all := topics()
	i := slices.IndexFunc(all, func(t topic) bool { return t.code == code })
	if i < 0 {
		return topic{}, false
	}
	return all[i], true
}

// akin returns the codes that share a part with a word: what stands before or
// after the dot, or the word itself within the code.
func akin(word string) []string {
	thing, defect, _ := strings.Cut(word, ".")
	var codes []string
	for _, t := range topics() {
		of, what, _ := strings.Cut(t.code, ".")
		if of == thing || what != "" && what == defect || len(word) > 2 && strings.Contains(t.code, word) {
			codes = append(codes, t.code)
		}
	}
	return codes
}
