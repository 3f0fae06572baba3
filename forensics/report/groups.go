package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/gap"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// group is the findings of one code about one log, as people read them: their common part is
// written once.
type group struct {
	groupKey
	Number       int // its place among all
	Count        int
	Findings     []finding.Finding // the first
	Explanations []string          // of every one
	Next         answer.Text       // of the first
	asked        Asked
}

// groupKey is equal for the findings of one group.
type groupKey struct {
	Severity finding.Severity
	Code     finding.Code
	Log      facts.Log
}

// groupFindings puts findings together by code and log, in the order of the first of
// each group. It shows the first findings of the first groups: answer.MostDetails of
// each, and answer.MostFindings of all.
func groupFindings(q Asked, all []finding.Finding) []*group {
	var out []*group
	at := map[groupKey]*group{}
	shown := 0
	for _, f := range all {
		key := groupKey{f.Severity, f.Code, facts.LogOf(f)}
		g := at[key]
		if g == nil {
			g = &group{groupKey: key, Number: len(out) + 1, Explanations: f.Explanations, Next: q.stepText(f.Next),
				asked: q}
			out, at[key] = append(out, g), g
		}
		g.Count++
		g.Explanations = commonMembers(g.Explanations, f.Explanations)
		if shown < answer.MostFindings && len(g.Findings) < answer.MostDetails {
			g.Findings = append(g.Findings, f)
			shown++
		}
	}
	return out
}

// commonMembers returns the members of a that are among b.
func commonMembers(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return !slices.Contains(b, s) })
}

// id is the name of the group in a page.
func (g *group) id() string { return fmt.Sprintf("finding-%d", g.Number) }

// More returns how many findings of the group are not shown, and the command that lists them.
func (g *group) More() answer.Left {
	command := allFindings + " --code " + safetext.Quote(string(g.Code))
	if g.Log.LogID != "" {
		command += " --log " + safetext.Quote(g.Log.LogID)
	}
	return leftOut(g.Count-len(g.Findings), "findings", g.asked.commandFor(command))
}

// Where names the events that the first findings of the group are about.
func (g *group) Where() string {
	var all []string
	for _, f := range g.Findings[:min(len(g.Findings), answer.MostPlaces)] {
		if f.Sequence > 0 {
			all = append(all, rangeText(f.Sequence, f.LastSequence))
		}
	}
	if left := g.Count - len(all); len(all) > 0 && left > 0 {
		all = append(all, "and "+formatNumber(left)+" more")
	}
	return strings.Join(all, ", ")
}

// shownGroups are the groups with a shown finding.
func shownGroups(all []*group) []*group {
	return slices.DeleteFunc(slices.Clone(all), func(g *group) bool { return len(g.Findings) == 0 })
}

// moreGroups counts the findings of the groups that are not shown. Options select these findings in the command
// that lists them.
func moreGroups(all []*group, options string) answer.Left {
	n, command := 0, ""
	for _, g := range all {
		if len(g.Findings) == 0 {
			n, command = n+g.Count, g.asked.commandFor(allFindings+options)
		}
	}
	return leftOut(n, "findings", command)
}

// groupsOf returns the groups about a log.
func groupsOf(all []*group, log facts.Log) []*group {
	return slices.DeleteFunc(slices.Clone(all), func(g *group) bool { return g.Log != log })
}

// shownWith returns the shown group that a finding is in; nil if there is none.
func shownWith(all []*group, f *finding.Finding) *group {
	log := facts.LogOf(*f)
	for _, g := range all {
		if len(g.Findings) > 0 && g.Code == f.Code && g.Log == log {
			return g
		}
	}
	return nil
}

// gapGroup is the gaps of a log that the same facts explain.
type gapGroup struct {
	Where      string
	Hypotheses []gap.Hypothesis
}

// groupedGaps groups the gaps of a log by their explanations, in the order of the first of
// each group.
func groupedGaps(all []gap.Gap) []gapGroup {
	var out []gapGroup
	var gaps [][]string
	for _, g := range all {
		i := slices.IndexFunc(out,
			func(o gapGroup) bool { return slices.EqualFunc(o.Hypotheses, g.Hypotheses, sameHypothesis) })
		if i < 0 {
			i, out, gaps = len(out), append(out, gapGroup{Hypotheses: g.Hypotheses}), append(gaps, nil)
		}
		gaps[i] = append(gaps[i], rangeText(g.First, g.Last))
	}
	for i := range out {
		out[i].Where = strings.Join(gaps[i], ", ")
	}
	return out
}

func sameHypothesis(a, b gap.Hypothesis) bool {
	return a.Cause == b.Cause && a.Title == b.Title && slices.Equal(a.For, b.For) && slices.Equal(a.Against, b.Against)
}
