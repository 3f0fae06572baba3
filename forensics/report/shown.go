package report

import (
	"fmt"
	"strings"

	"github.com/svc-edge/svc-verify/forensics/finding"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// more is what a list leaves out, and the command that lists it all.
type more struct {
	Count   int
	Command string
}

const allFindings = "svc-verify findings --case FILE --trust TRUST"

func moreLogs(r *Report) more {
	return more{max(0, len(r.Logs)-mostLogs), "svc-verify walk --case FILE --trust TRUST"}
}

func moreForks(l Log) more {
	return more{l.MoreForks, allFindings + " --code chain.fork --log " + safetext.Quote(l.LogID)}
}

func moreGaps(l Log) more {
	return more{l.MoreGaps, "svc-verify gaps --case FILE --log " + safetext.Quote(l.LogID)}
}

func moreSources(r *Report) more {
	return more{max(0, len(r.Sources)-mostSources), "svc-verify report --case FILE --output json"}
}

func moreFindings(r *Report, shown int) more {
	return more{max(0, len(r.Findings)-shown), allFindings}
}

// firstStretches are those that are named in words.
func firstStretches(l Log) []Stretch { return l.Presence.Stretches[:min(len(l.Presence.Stretches), 6)] }

// shownFinding is a finding as people read it. Number is its place among all.
type shownFinding struct {
	finding.Finding
	Number     int
	Lead       string // the sentence up to what was expected, which stands below
	Places     []string
	MorePlaces int
}

func show(number int, f finding.Finding) shownFinding {
	s := shownFinding{Finding: f, Number: number, Lead: f.Message}
	if lead, _, ok := strings.Cut(f.Message, ": expected "); ok {
		s.Lead = lead + "."
	}
	for _, e := range f.Evidence[:min(len(f.Evidence), mostPlaces)] {
		s.Places = append(s.Places, e.Text())
	}
	s.MorePlaces = len(f.Evidence) - len(s.Places)
	return s
}

// group is the findings of one severity.
type group struct {
	Name     finding.Severity
	Count    int
	Folded   bool // those that matter least, where there are many
	Findings []shownFinding
}

// groups are the first findings, by severity.
func groups(r *Report) []group {
	var all []group
	for i, f := range r.Findings[:min(len(r.Findings), mostShown)] {
		if n := len(all); n == 0 || all[n-1].Name != f.Severity {
			all = append(all, group{Name: f.Severity, Folded: f.Severity == finding.Info})
		}
		g := &all[len(all)-1]
		g.Count++
		g.Findings = append(g.Findings, show(i+1, f))
	}
	return all
}

// findingLink leads from a log to a finding about it.
type findingLink struct {
	Number int
	Code   finding.Code
	Where  string
}

type findingLinks struct {
	Links []findingLink
	More  more
}

// findingsOf returns the links to the shown findings about a log; nil if there
// are none.
func findingsOf(r *Report, l Log) *findingLinks {
	var out findingLinks
	for i, f := range r.Findings {
		if f.LogID != l.LogID {
			continue
		}
		if i >= mostShown || len(out.Links) == mostItems {
			out.More.Count++
			continue
		}
		link := findingLink{Number: i + 1, Code: f.Code}
		if f.Sequence > 0 {
			link.Where = span(f.Sequence, f.LastSequence)
		}
		out.Links = append(out.Links, link)
	}
	out.More.Command = allFindings + " --log " + safetext.Quote(l.LogID)
	if len(out.Links) == 0 && out.More.Count == 0 {
		return nil
	}
	return &out
}

// leftItems names the first of what was left out.
func leftItems(l verdict.LeftOut) string {
	text := ""
	for i, item := range l.Items[:min(len(l.Items), mostItems)] {
		if i > 0 {
			text += ","
		}
		text += " " + safetext.Quote(item)
	}
	if more := len(l.Items) - mostItems; more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return text
}
