package report

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/cause"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/verify"
)

//go:embed page
var files embed.FS

// document returns the page's template. It is parsed at the first use: most runs of the
// program write no page.
var document = sync.OnceValue(func() *template.Template {
	return template.Must(answer.Template("report.html", template.FuncMap{
		"span":            span,
		"tone":            tone,
		"totals":          totalsOf,
		"counts":          countsOf,
		"verdictSentence": verdictSentence,
		"why":             why,
		"shownLogs":       func(r *Report) []Log { return r.Logs[:min(len(r.Logs), mostLogs)] },
		"moreLogs":        moreLogs,
		"shownProofs":     shownProofs,
		"moreProofs":      moreProofs,
		"groupedGaps":     func(l Log) []gapGroup { return groupedGaps(l.Gaps) },
		"grouped":         func(r *Report) []*group { return grouped(r.Findings) },
		"bySeverity":      bySeverity,
		"groupsOf":        groupsOf,
		"shownWith":       shownWith,
		"moreOf":          moreOf,
		"moreGroups":      moreGroups,
		"firstStretches":  firstStretches,
		"moreStretches":   func(l Log) int { return len(l.Presence.Stretches) + l.Presence.More - len(firstStretches(l)) },
		"moreForks":       moreForks,
		"moreGaps":        moreGaps,
		"shownCauses":     func(r *Report) []cause.Cause { return r.Causes[:min(len(r.Causes), mostCauses)] },
		"moreCauses":      moreCauses,
		"shownSources":    func(r *Report) []Source { return r.Sources[:min(len(r.Sources), mostSources)] },
		"moreSources":     moreSources,
		"shownStores":     func(r *Report) []crosscheck.Store { return r.Stores },
		"leftItems":       func(l verdict.LeftOut) []string { return l.Items[:min(len(l.Items), mostItems)] },
		"moreLeft":        func(l verdict.LeftOut) int { return max(0, len(l.Items)-mostItems) },
		"legend":          func() []legendItem { return legend },
		"presence":        newPresencePicture,
		"chart":           newChart,
		"fork":            newForkPicture,
	}).ParseFS(files, "page/*.html"))
})

// HTML writes a report as one page that needs nothing beside it and runs no
// script.
func HTML(w io.Writer, r *Report) error {
	return document().Execute(w, r)
}

// number writes a number with a comma between thousands.
func number(n any) string { return answer.Number(n) }

// span names the sequences of a range.
func span(first, last uint64) string {
	if last <= first {
		return "event " + number(first)
	}
	return fmt.Sprintf("events %s to %s (%s)", number(first), number(last), number(last-first+1))
}

// tone is how an answer or verdict is coloured and signed.
func tone(word string) string {
	switch word {
	case string(verify.Verified), Holds, Complete, string(crosscheck.StoreFaithful):
		return "good"
	case string(verify.Rejected), Broken, Incomplete, string(crosscheck.StoreAltered), string(crosscheck.StoreDiffers):
		return "bad"
	}
	return "warn"
}

func verdictSentence(v verify.Verdict) string {
	switch v {
	case verify.Verified:
		return "Everything that was examined is genuine, and nothing was found that speaks against it."
	case verify.Rejected:
		return "Something in the evidence is wrong: it was altered, it is missing although something shows that it " +
			"was there, or it contradicts itself."
	}
	return "Nothing was found that is certainly wrong, but what is here does not suffice to call it genuine and whole."
}

// totals are over all logs.
type totals struct{ Events, Missing uint64 }

func totalsOf(r *Report) totals {
	var t totals
	for _, l := range r.Logs {
		t.Events, t.Missing = t.Events+l.Events, t.Missing+l.Missing
	}
	return t
}

// severityCount is how many findings have a severity, with its colour.
type severityCount struct {
	Name  finding.Severity
	Count int
	Tone  string
}

// countsOf returns the severities that there are, the worst first.
func countsOf(s Severities) []severityCount {
	all := []severityCount{{finding.Critical, s.Critical, "bad"}, {finding.High, s.High, "bad"},
		{finding.Medium, s.Medium, "warn"}, {finding.Info, s.Info, "soft"}}
	return slices.DeleteFunc(all, func(c severityCount) bool { return c.Count == 0 })
}

// percent writes a share of a whole as SVG wants it.
func percent(part, whole float64) string {
	if whole <= 0 {
		return "0%"
	}
	return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(100*part/whole, 'f', 3, 64), "0"), ".") + "%"
}

// wide is percent for a width: a shape without any is not drawn at all, not even
// its outline.
func wide(part, whole float64) string { return percent(max(part, whole/10_000), whole) }
