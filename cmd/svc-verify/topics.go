package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/finding"
)

// topic explains one code: of a finding, a cause, a limitation, a fault of a trust file, a
// notice about one, or a reason why the status of a certificate is unknown. Fields that do not
// apply to a code are empty.
type topic struct {
	finding.Entry
	Group  string // the check that finds it, or the kind of code
	says   string
	weight string // of a finding about whole logs: its severity and its effect
}

// Pairs returns the descriptions of a code, each with its name.
func (t topic) Pairs() [][2]string {
	all := [][2]string{{"rule", ""}, {"weighs", t.weight}, {"message", t.says}, {"arises", t.Arises}}
	if t.Spec != "" {
		all[0][1] = "section " + t.Spec + " of the specification"
	}
	for _, e := range t.Explanations {
		all = append(all, [2]string{"perhaps", e})
	}
	all = append(all, [2]string{"next", t.Next})
	return slices.DeleteFunc(all, func(p [2]string) bool { return p[1] == "" })
}

// allTopics returns all topics, group by group.
func allTopics() []topic {
	var all []topic
	for _, g := range finding.Groups() {
		entries := finding.Codes(g.Name)
		if g.Name == "logs" {
			slices.SortStableFunc(entries, func(a, b finding.Entry) int {
				return strings.Compare(nounOf(a.Code), nounOf(b.Code))
			})
		}
		for _, e := range entries {
			all = append(all, topicOf(g, e))
		}
	}
	return all
}

// topicOf returns the topic of a code, which depends on its group.
func topicOf(g finding.Group, e finding.Entry) topic {
	t := topic{Entry: e, Group: g.Title, says: e.Text()}
	weighs := fmt.Sprintf("%s, %s", e.Severity, effects[e.Effect])
	switch g.Name {
	case "batch", "archive":
		t.weight = weighs
	case "logs":
		t.Group += ": " + nounOf(e.Code)
		t.weight = fmt.Sprintf("%s; about a %s and its %s", weighs, e.Subject, e.Bearing)
	case "limitations":
		t.says = ""
	case "causes":
		t.weight = "nothing by itself: the findings that follow from it count"
	case "status":
		t.weight = statusEffects[e.Effect]
	}
	return t
}

// nounOf returns the subject of a code, the first half of <thing>.<defect>.
func nounOf(c finding.Code) string {
	thing, _, _ := strings.Cut(string(c), ".")
	return thing
}

// effects describes for people the effect of a finding on the verdict of a walk.
var effects = map[finding.Effect]string{
	finding.Rejects:    "and the evidence is rejected",
	finding.LeavesOpen: "and the verdict stays open",
	finding.None:       "and the verdict does not depend on it",
}

// statusEffects describes for people the effect of a reason on the answer of svc-verify
// certificates.
var statusEffects = map[finding.Effect]string{
	finding.Rejects:    "the answer is rejected",
	finding.LeavesOpen: "the answer is inconclusive",
}

// findTopic returns the topic of a code, or of the one that an older code became.
func findTopic(code string) (topic, bool) {
	all := allTopics()
	e, known := finding.Lookup(finding.Code(code))
	i := slices.IndexFunc(all, func(t topic) bool { return known && t.Code == e.Code })
	if i < 0 {
		return topic{}, false
	}
	return all[i], true
}

// akinCodes returns the codes that share a part with a word: the part before or after the dot, or
// the whole word anywhere in the code.
func akinCodes(word string) []string {
	thing, defect, _ := strings.Cut(word, ".")
	var codes []string
	for _, t := range allTopics() {
		of, what, _ := strings.Cut(string(t.Code), ".")
		if of == thing || what != "" && what == defect || len(word) > 2 && strings.Contains(string(t.Code), word) {
			codes = append(codes, string(t.Code))
		}
	}
	return codes
}
