package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/cause"
	"github.com/svc-edge/svc-verify/internal/page"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/trust/trustfile"
	"github.com/svc-edge/svc-verify/verify"
)

// topic is all that there is to say about one code that the program prints: of
// a finding, a limitation, a fault of a trust file or a notice about one. What
// does not apply to a code is empty.
type topic struct {
	code, group, spec, sentence, arises, next string
	weight                                    string   // of a finding about whole logs: severity, and what it does to the verdict
	perhaps                                   []string // what may explain it without tampering
}

// pairs returns what is said of a topic, each with its name.
func (t topic) pairs() []page.Pair {
	all := []page.Pair{{"rule", ""}, {"weighs", t.weight}, {"says", t.sentence}, {"arises", t.arises}}
	if t.spec != "" {
		all[0][1] = "section " + t.spec + " of the specification"
	}
	for _, p := range t.perhaps {
		all = append(all, page.Pair{"perhaps", p})
	}
	all = append(all, page.Pair{"next", t.next})
	return slices.DeleteFunc(all, func(p page.Pair) bool { return p[1] == "" })
}

// The groups of topics beside the checks.
const (
	groupVerdict     = "verdict"
	groupLimitations = "limitations"
	groupFaults      = "faults of a trust file"
	groupNotices     = "notices about a trust file"
	groupCauses      = "causes of findings about whole logs"
	groupLogs        = "findings about whole logs: " // and what the code is about
)

// topics returns every topic, group by group.
func topics() []topic {
	var all []topic
	for _, e := range verify.Codes() {
		group := string(e.Check)
		if group == "" {
			group = groupVerdict
		}
		all = append(all, topic{code: string(e.Code), group: group, spec: e.Spec, sentence: e.Text(), arises: e.Arises, next: e.Next})
	}
	all = append(all, limitationTopics...)
	all = append(all, faultTopics...)
	for _, r := range trustfile.Rules() {
		all = append(all, topic{code: r.Code, group: groupNotices, spec: r.Spec, sentence: r.Sentence, arises: r.Why, next: r.Next})
	}
	found := finding.Codes()
	slices.SortStableFunc(found, func(a, b finding.Entry) int { return strings.Compare(thing(a.Code), thing(b.Code)) })
	for _, e := range found {
		all = append(all, topic{code: string(e.Code), group: groupLogs + thing(e.Code), spec: e.Spec, sentence: e.Text(), next: e.Next,
			weight:  fmt.Sprintf("%s, %s; about a %s and its %s", e.Severity, effects[e.Effect], e.Subject, e.Bearing),
			perhaps: e.Explanations})
	}
	for _, e := range cause.Codes() {
		all = append(all, topic{code: string(e.Code), group: groupCauses, sentence: e.Sentence, arises: e.Arises, next: e.Next,
			weight: "nothing by itself: the findings that follow from it count"})
	}
	return all
}

// thing returns what a code is about, of <thing>.<defect>.
func thing(c finding.Code) string {
	thing, _, _ := strings.Cut(string(c), ".")
	return thing
}

// effects says for people what a finding does to the verdict of a walk.
var effects = map[finding.Effect]string{
	finding.Rejects:    "and the evidence is rejected",
	finding.LeavesOpen: "and the verdict stays open",
	finding.None:       "and the verdict does not depend on it",
}

const pinAgain = "Mend the trust file from keys that were collected independently (svc-verify trust init), and compare fingerprints."

var faultTopics = []topic{
	{code: trust.WeakKey, group: groupFaults, spec: "2.2", sentence: "{path}: expected {expected}, found {found}", arises: "A key is not a canonical point of the curve, or of small order: signatures for it can be made without a private key.",
		next: pinAgain},
	{code: trust.DuplicateKey, group: groupFaults, spec: "2.2", sentence: "{path}: expected {expected}, found {found}", arises: "One public key stands in the file twice: under two names it would count twice, in two roles it could sign what it should only witness.",
		next: pinAgain},
}

var limitationTopics = []topic{
	{code: "as-of-checkpoint", group: groupLimitations, spec: "11.3", arises: "A bundle says what the log held at its checkpoint. An issued certificate may have been revoked since.",
		next: "If the present matters, ask the service for a newer bundle, and compare its checkpoint sequence."},
	{code: "audit-key-holder", group: groupLimitations, spec: "11.3", arises: "The status is signed by the audit key alone, and the log commits to what its holder puts in.",
		next: "Walk the full tenant log: a false status and a second issuance both show there."},
	{code: "issuer-not-judged", group: groupLimitations, spec: "11.3", arises: "The bundle shows that the issuer signed the leaf. Whether a relying party would accept the chain is another question.",
		next: "Validate the chain with the relying party's own roots and rules."},
	{code: "retired-keys", group: groupLimitations, spec: "2.3", arises: "Old keys stay in the trust file for as long as evidence made with them is to be verified.",
		next: "Keep a key in the file only if you trust that its private half was destroyed; use a trust file of its own for old evidence."},
	{code: "minimum-approvals-not-given", group: groupLimitations, spec: "2.4", arises: "The terms say how many nodes must approve, and the terms are set by those who approve.",
		next: "Give --minimum-approvals with the number that your own policy demands."},
	{code: "split-view-possible", group: groupLimitations, spec: "5.3", arises: "Twice the quorum is not above the number of pinned nodes, so two halves of the fleet could honestly witness two histories of the log.",
		next: "Raise minimum_audit_witnesses in the trust file above half the number of nodes."},
	{code: "legacy-checkpoint", group: groupLimitations, spec: "5.4", arises: "The trust file admits checkpoints that no node witnessed.",
		next: "Use such a trust file for old evidence only, and minimum_audit_witnesses of 1 or more for everything else."},
	{code: "legacy-before-not-given", group: groupLimitations, spec: "5.4", arises: "Without a latest time, a legacy checkpoint could be of any age.",
		next: "Give --legacy-before with the time at which witnessing began."},
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
