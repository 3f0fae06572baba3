// Package explain says what each code means that svc-verify prints. It knows the
// codes of findings, causes, limitations, trust files and reasons of package status.
package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/batch"
	"github.com/svc-edge/svc-verify/contradiction"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/cause"
	"github.com/svc-edge/svc-verify/forensics/status"
	"github.com/svc-edge/svc-verify/internal/page"
	"github.com/svc-edge/svc-verify/trust/trustfile"
	"github.com/svc-edge/svc-verify/verify"
)

// Topic explains one code: of a finding, a cause, a limitation, a fault of a trust
// file, a notice about one, or a reason why the status of a certificate is unknown. What does not apply to a code is empty.
type Topic struct {
	finding.Entry
	Group  string // the check that finds it, or the kind of code
	says   string
	weight string // of a finding about whole logs: its severity and its effect
}

// Pairs returns what is said of a code, each with its name.
func (t Topic) Pairs() []page.Pair {
	all := []page.Pair{{"rule", ""}, {"weighs", t.weight}, {"says", t.says}, {"arises", t.Arises}}
	if t.Spec != "" {
		all[0][1] = "section " + t.Spec + " of the specification"
	}
	for _, e := range t.Explanations {
		all = append(all, page.Pair{"perhaps", e})
	}
	all = append(all, page.Pair{"next", t.Next})
	return slices.DeleteFunc(all, func(p page.Pair) bool { return p[1] == "" })
}

// The groups of topics beside the checks.
const (
	groupVerdict     = "verdict"
	groupBundles     = "contradictions of two bundles"
	groupBatches     = "findings about a batch"
	groupArchives    = "findings about an archive"
	groupTokens      = "time-stamp tokens and the chains over a seal"
	groupLimitations = "limitations"
	groupFaults      = "faults of a trust file"
	groupNotices     = "notices about a trust file"
	groupCauses      = "causes of findings about whole logs"
	groupStatus      = "reasons why the status of a certificate is not definite"
	groupLogs        = "findings about whole logs: " // and what the code is about
)

// Topics returns all topics, group by group.
func Topics() []Topic {
	var all []Topic
	for _, e := range verify.Codes() {
		all = append(all, Topic{Entry: e, Group: cmp.Or(e.Check, groupVerdict), says: e.Text()})
	}
	for _, e := range slices.Concat(finding.OfBundles(), contradiction.Faults()) {
		all = append(all, Topic{Entry: e, Group: groupBundles, says: e.Text()})
	}
	for _, e := range batch.Codes() {
		all = append(all, Topic{Entry: e, Group: groupBatches, says: e.Text(),
			weight: fmt.Sprintf("%s, %s", e.Severity, effects[e.Effect])})
	}
	for _, e := range finding.OfArchives() {
		all = append(all, Topic{Entry: e, Group: groupArchives, says: e.Text(),
			weight: fmt.Sprintf("%s, %s", e.Severity, effects[e.Effect])})
	}
	for _, e := range finding.OfTokens() {
		all = append(all, Topic{Entry: e, Group: groupTokens, says: e.Text()})
	}
	all = append(all, ofSeals()...)
	for _, e := range slices.Concat(verify.Limitations(), contradiction.Limitations(), batch.Limitations(),
		status.Limitations(), finding.OfTokenLimits(), finding.OfSealLimits()) {
		all = append(all, Topic{Entry: e, Group: groupLimitations})
	}
	for _, e := range trustfile.Faults() {
		all = append(all, Topic{Entry: e, Group: groupFaults, says: e.Text()})
	}
	for _, e := range trustfile.Notices() {
		all = append(all, Topic{Entry: e, Group: groupNotices, says: e.Text()})
	}
	found := finding.Codes()
	slices.SortStableFunc(found, func(a, b finding.Entry) int { return strings.Compare(thing(a.Code), thing(b.Code)) })
	for _, e := range found {
		all = append(all, Topic{Entry: e, Group: groupLogs + thing(e.Code), says: e.Text(),
			weight: fmt.Sprintf("%s, %s; about a %s and its %s", e.Severity, effects[e.Effect], e.Subject, e.Bearing)})
	}
	for _, e := range cause.Codes() {
		all = append(all, Topic{Entry: e, Group: groupCauses, says: e.Text(),
			weight: "nothing by itself: the findings that follow from it count"})
	}
	for _, e := range status.Reasons() {
		all = append(all, Topic{Entry: e, Group: groupStatus, says: e.Sentence, weight: statusEffects[e.Effect]})
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

// statusEffects says for people what a reason does to the answer of svc-verify status.
var statusEffects = map[finding.Effect]string{
	finding.Rejects:    "the answer is rejected",
	finding.LeavesOpen: "the answer is inconclusive",
}

// Find returns the topic of a code.
func Find(code string) (Topic, bool) {
	all := Topics()
	i := slices.IndexFunc(all, func(t Topic) bool { return string(t.Code) == code })
	if i < 0 {
		return Topic{}, false
	}
	return all[i], true
}

// Akin returns the codes that share a part with a word: what stands before or
// after the dot, or the word itself within the code.
func Akin(word string) []string {
	thing, defect, _ := strings.Cut(word, ".")
	var codes []string
	for _, t := range Topics() {
		of, what, _ := strings.Cut(string(t.Code), ".")
		if of == thing || what != "" && what == defect || len(word) > 2 && strings.Contains(string(t.Code), word) {
			codes = append(codes, string(t.Code))
		}
	}
	return codes
}
