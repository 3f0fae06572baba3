package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/gap"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/check"
)

// gapsOf returns findings of one code about one log, with ascending events.
func gapsOf(code finding.Code, log string, count int, own ...string) []finding.Finding {
	var all []finding.Finding
	for i := range count {
		n := uint64(10 * (i + 1))
		f := finding.Finding{Code: code, TenantID: "t", LogID: log, Sequence: n, LastSequence: n + 1,
			Expected: "an event", Found: "none"}
		if i < len(own) {
			f.Explanations = []string{own[i]}
		}
		all = append(all, f.Complete())
	}
	return all
}

// TestGroups: findings of one code about one log are together under one heading, with a
// sentence for each and their common text once, the worst first; findings of another log,
// tenant or code are not among them.
func TestGroups(t *testing.T) {
	other := gapsOf(finding.Gap, "node/a", 1)
	other[0].TenantID = "u"
	all := slices.Concat(gapsOf(finding.HashMismatch, "node/b", 1),
		gapsOf(finding.Gap, "node/a", 3, "the second explains this one alone"), other,
		gapsOf(finding.Gap, "node/b", 2))
	r := &Report{Findings: all}
	var got []string
	for _, g := range groupFindings(Asked{}, all) {
		got = append(got, fmt.Sprintf("%d %s %s %s %d: %s", g.Number, g.Severity, g.Code, g.Log.LogID, g.Count,
			g.Where()))
	}
	want := []string{
		"1 critical event.hash-mismatch node/b 1: events 10 to 11 (2)",
		"2 high chain.gap node/a 3: events 10 to 11 (2), events 20 to 21 (2), events 30 to 31 (2)",
		"3 high chain.gap node/a 1: events 10 to 11 (2)",
		"4 high chain.gap node/b 2: events 10 to 11 (2), events 20 to 21 (2)",
	}
	check.That(t, slices.Equal(got, want), "groups:\n%s", strings.Join(got, "\n"))
	for form, doc := range map[string]string{"html": htmlOf(t, r), "markdown": markdownOf(t, r)} {
		for text, times := range map[string]int{
			"events 20 to 21 (2) missing.":       2,
			"Retention removed the events":       3, // once for each group of gaps
			"the second explains this one alone": 1,
		} {
			n := strings.Count(strings.NewReplacer(`<span class="whole">`, "", "</span>", "", "<wbr>",
				"").Replace(doc), text)
			check.That(t, n == times, "%s says %q %d times, want %d", form, text, n, times)
		}
	}
}

// TestManyFindings: each finding is shown or counted as left out, once.
func TestManyFindings(t *testing.T) {
	var all []finding.Finding
	for i := range 40 {
		all = append(all, gapsOf(finding.Gap, fmt.Sprintf("node/%d", i), i+1)...)
	}
	groups := groupFindings(Asked{}, all)
	shown, left := 0, int(moreGroups(groups, "").N)
	for _, g := range shownGroups(groups) {
		shown, left = shown+len(g.Findings), left+int(g.More().N)
		check.That(t, len(g.Findings) <= answer.MostDetails, "%d findings of a group", len(g.Findings))
	}
	check.That(t, shown == answer.MostFindings && shown+left == len(all),
		"%d shown and %d left out, of %d", shown, left, len(all))
	where := groups[9].Where()
	check.That(t, strings.HasSuffix(where, "events 60 to 61 (2), and 4 more"), "ten gaps are at %s", where)
	perLog := 0
	for i := range 40 {
		ofLog := groupsOf(groups, facts.Log{LogID: fmt.Sprintf("node/%d", i), TenantID: "t"})
		for _, g := range shownGroups(ofLog) {
			perLog += g.Count
		}
		perLog += int(moreGroups(ofLog, "").N)
	}
	check.That(t, perLog == len(all), "the logs have %d findings of %d", perLog, len(all))
}

// TestFirst: the unexamined evidence comes before the verdict, the paragraph and the deciding
// finding right after it, then the incidents and the pictures, and the appendices last.
func TestFirst(t *testing.T) {
	r := filled("harmless")
	r.Verdict, r.Schema = "inconclusive", "the schema"
	r.LeftOut = []verdict.LeftOut{{Text: "This was not asked for:"}}
	r.NotExamined = []Note{{Text: "This was not asked for:"}}
	r.Decides = &finding.Finding{Code: finding.KeyUnknown, LogID: "node/decides", Sequence: 7, LastSequence: 7}
	_, body, _ := strings.Cut(htmlOf(t, r), "<header>")
	for form, doc := range map[string]string{"html": body, "markdown": markdownOf(t, r)} {
		doc = strings.NewReplacer(`<span class="whole">`, "", "</span>", "", "<wbr>", "").Replace(doc)
		last := -1
		for _, text := range []string{"Not examined.", "This was not asked for", "open", "This report covers",
			"node/decides, event 7", "What happened", "Over time", "Where the copies are",
			"Transactions that it touches",
			"How to repeat it", "Appendices", "Perhaps", "Two answers for each log", "Contents of each log",
			"One answer for each store", "When it was delivered", "What was not examined",
			"What this report does not prove"} {
			at := strings.Index(doc, text)
			check.That(t, at > last, "%s: %q is at %d, after %d", form, text, at, last)
			last = at
		}
	}
}

// TestGroupedGaps: gaps with the same hypotheses share one text, and no others do.
func TestGroupedGaps(t *testing.T) {
	lost := []gap.Hypothesis{{Cause: "c", Title: "lost", For: []string{"a"}, Against: []string{"b"}}}
	cut := []gap.Hypothesis{{Cause: "c", Title: "lost", For: []string{"a"}, Against: []string{"c"}}}
	got := groupedGaps([]gap.Gap{{First: 3, Last: 3, Hypotheses: lost}, {First: 5, Last: 6, Hypotheses: cut},
		{First: 9, Last: 9, Hypotheses: lost}})
	check.That(t, len(got) == 2 && got[0].Where == "event 3, event 9" && got[1].Where == "events 5 to 6 (2)" &&
		got[1].Hypotheses[0].Against[0] == "c", "%+v", got)
}
