package report

import (
	_ "embed" // the script of the explorer and its style sheet
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/cause"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/verify/text"
)

//go:embed page/explorer.js
var explorerScript string

//go:embed page/explorer.css
var explorerStyle string

// HTML writes a report as one page that needs no other file. It has a script if the report has
// an explorer.
func HTML(w io.Writer, r *Report) error {
	d, err := caseDocument(r)
	if err != nil {
		return err
	}
	if r.Explorer != nil {
		d.Program = &answer.Program{Script: explorerScript, Style: explorerStyle, Values: r.Explorer}
	}
	return answer.HTML(w, d)
}

// Markdown writes a report as GitHub's Markdown. Text of the evidence makes no markup
// in it.
func Markdown(w io.Writer, r *Report) error {
	d, err := caseDocument(r)
	if err != nil {
		return err
	}
	return answer.Markdown(w, d, 0)
}

// The commands that list the content that a report for people omits.
const (
	allFindings = "svc-verify show findings CASE --trust TRUST"
	wholeWalk   = "svc-verify walk CASE --trust TRUST"
	wholeReport = "svc-verify report CASE --output json"
)

// writer makes the document of a report.
type writer struct {
	*answer.Doc
	r      *Report
	groups []*group
	err    error // of a picture
}

// caseDocument returns the document of a report: the parts that a reader needs, then folded
// appendices. An error is one of a picture's template.
func caseDocument(r *Report) (*answer.Doc, error) {
	w := &writer{r: r, groups: groupFindings(r.named, r.Findings), Doc: answer.NewAnswer(r.Verdict, r.Title)}
	w.Main = "incidents"
	w.addHead()
	logs, moreLogs := answer.Cut(r.Logs, answer.MostLogs)
	note := answer.Remark("Open what you want to read or to print: on paper, a closed appendix is left out. "+
		"Everything is in what ", answer.Code(r.named.commandFor(wholeReport)), " writes.")
	w.AddSections(incidentsSection(r), w.timeSection(), w.placesSection(), affectedSection(r),
		repeatSection(r), answer.NewSection("appendices", "Appendices", note))
	kept := len(w.Sections)
	w.AddSections(findingsSection(w.groups), causesSection(r.named, r.Causes, r.Findings),
		answersSection(logs, moreLogs), w.logsSection(logs, moreLogs), proofsSection(r.Proofs),
		storesSection(r.Stores), w.deliveriesSection(), sourcesSection(r.Sources))
	w.AddSections(custodySections(r.Custody, answer.MostRows)...)
	w.AddSections(w.noteSections()...)
	for i := range w.Sections[kept:] {
		w.Sections[kept+i].Folded = true
	}
	w.Foot = []answer.Block{answer.Paragraph(r.Tool, ", ", r.Schema)}
	return w.Doc, w.err
}

// drawn returns a picture of a template, with the lines that say the same.
func (w *writer) drawn(class, name string, data any, words ...string) answer.Picture {
	var b strings.Builder
	if err := drawings().ExecuteTemplate(&b, name, data); err != nil {
		w.err = err
	}
	svg := template.HTML(b.String()) // #nosec G203 -- the template escaped it
	return answer.Picture{Class: class, SVG: svg, Words: words}
}

// addHead adds everything above the sections: the limits, the verdict with its reason, the report in one
// paragraph, and totals.
func (w *writer) addHead() {
	r := w.r
	for _, n := range r.NotExamined {
		items, more := answer.Cut(n.Items, mostNamed)
		text := answer.Say(n.Text, " ", strings.Join(items, ", "))
		if more += int64(n.More); more > 0 {
			text = answer.Say(text, " and ", more, " more")
		}
		w.LeftOut = append(w.LeftOut, text)
	}
	w.Lead = append(w.Lead, text.KeysMissing(r.UnknownKeys)...)
	if what := kindCounts(r.Incidents); what != "" {
		w.Lead = append(w.Lead, answer.Paragraph(answer.Strong(what, "")))
	}
	if text := explainedText(r.Incidents); text != "" {
		w.Lead = append(w.Lead, answer.Paragraph(text))
	}
	w.Lead = append(w.Lead, answer.Paragraph(strings.Join(proseSentences(r), " ")))
	for _, a := range r.Assumed {
		w.Lead = append(w.Lead, answer.Remark(a.Text))
	}
	if why := verdict.Why(r.Verdict, r.Decides, r.LeftOut); why != nil {
		reason := answer.Value("Why", why.Text)
		if f := why.Finding; f != nil {
			code := answer.Code(f.Code)
			if g := shownWith(w.groups, f); g != nil {
				code.Link = g.id()
			}
			reason = answer.Value("Decided by", code, ": ", why.Text)
		}
		w.Lead = append(w.Lead, answer.Pairs{reason, answer.Value("Next", r.named.stepText(why.Next))})
	}
	var missing uint64
	for _, l := range r.Logs {
		missing += l.Missing
	}
	w.Head = []answer.Block{answer.Pairs{answer.Value("Findings", r.Severities.asText()),
		answer.Value("Missing", safetext.Count(missing, "event"))}}
}

// mostNamed bounds the things that a line above the verdict names.
const mostNamed = 2

// events counts the events of all logs.
func (r *Report) events() (n uint64) {
	for _, l := range r.Logs {
		n += l.Events
	}
	return n
}

func causesSection(q Asked, causes []cause.Cause, findings []finding.Finding) (s answer.Section) {
	if len(causes) == 0 {
		return s
	}
	shown, left := answer.Cut(causes, answer.MostDetails)
	blocks := []answer.Block{answer.Remark("What probably led to the findings, what explains most first. " +
		"A cause hides no finding and changes no verdict.")}
	for _, c := range shown {
		facts := append(answer.Bullets("For it: ", c.Pro()), answer.Bullets("Against it: ", c.Con())...)
		blocks = append(blocks, answer.Card{Class: "cause", Heading: answer.Say(c.Message), Blocks: []answer.Block{
			answer.Remark(answer.Code(c.Code), " follows: ", c.Follow(findings)), facts,
			answer.Remark("Next: ", q.stepText(c.Next))}})
	}
	return answer.Section{ID: "causes", Heading: "Likely causes",
		Blocks: append(blocks, leftOut(left, "causes", q.commandFor(wholeReport)))}
}

// leftOut is how much a list leaves out, and the command that lists it all.
func leftOut[N ~int | ~int64](n N, of, command string) answer.Left {
	return answer.Rest{Command: command}.Left(int64(n), of)
}

// answerSpan is an answer with the sign of its tone.
func answerSpan[T ~string](word T) answer.Span {
	return answer.Span{Text: string(word), Style: answer.Answered, Tone: answer.ToneOf(word)}
}

// strongSpan is a severity or an answer with the colour of its tone.
func strongSpan[T ~string](word T) answer.Span {
	return answer.Strong(string(word), answer.ToneOf(word))
}

func answersSection(logs []Log, left int64) answer.Section {
	t := answer.Table{Left: leftOut(left, "logs", wholeWalk),
		Columns: answer.Columns("Log", "name", "Integrity", "answer", "Completeness", "", "Findings", "counts")}
	for i, l := range logs {
		whole := answer.Say(answerSpan(l.Completeness.Word), ", up to ", l.CompleteByOthers.Sequence,
			" by others' word, up to ", l.CompleteByOwn.Sequence, " by its own")
		if l.Missing > 0 {
			whole = answer.Say(whole, ", ", l.Missing, " missing")
		}
		if l.UnanchoredTail > 0 {
			whole = answer.Say(whole, ", ", l.UnanchoredTail, " unanchored")
		}
		name := answer.Name(l.LogID)
		name.Link = fmt.Sprintf("log-%d", i)
		t.Rows = append(t.Rows, answer.Row(name, answerSpan(l.Integrity.Word), whole, l.Severities.asText()))
	}
	note := answer.Remark("Integrity: is every event that is here genuine and linked? Completeness: up to " +
		"which anchored event is nothing missing? A log can have the one without the other.")
	return answer.NewSection("answers", "Two answers for each log", note, t)
}

// asText names the severities that there are, the worst first.
func (s Severities) asText() (t answer.Text) {
	for i, n := range []int{s.Critical, s.High, s.Medium, s.Info} {
		severity := finding.Severities()[i]
		if n == 0 {
			continue
		}
		if len(t) > 0 {
			t = answer.Say(t, ", ")
		}
		t = answer.Say(t, answer.Span{Text: formatNumber(n) + " " + string(severity), Style: answer.Toned,
			Tone: answer.ToneOf(severity)})
	}
	if len(t) == 0 {
		return answer.Say("none")
	}
	return t
}

func proofsSection(all []crosscheck.Bundle) answer.Section {
	return text.SaidSection(all, leftOut(0, "proofs", wholeWalk+" --output json"),
		func(b *crosscheck.Bundle) (string, string) { return b.Name, b.Said() })
}

func storesSection(stores []crosscheck.Store) (section answer.Section) {
	if len(stores) == 0 {
		return section
	}
	t := answer.Table{Columns: answer.Columns("Store", "name", "Answer", "answer", "Events", "number", "Also elsewhere",
		"number", "Altered", "number", "Differ", "number", "Lossy", "number", "Lacking", "number")}
	for _, s := range stores {
		files := "one file"
		if s.Parts != 1 {
			files = formatNumber(s.Parts) + " files, " + s.Rule.Text()
		}
		if s.Ends > 0 {
			files += "; ends early by " + formatNumber(s.Ends) + " events"
		}
		t.Rows = append(t.Rows, answer.Row(answer.Cell{answer.Say(answer.Name(s.Name)), answer.Say(answer.Aside(files))},
			answerSpan(s.State), s.Events, s.Shared, s.Altered, s.Differs, s.Lossy, s.Lacking))
	}
	note := answer.Remark("A store is where copies were kept: a collector, a bucket, a node's own disk. What " +
		"is wrong with a copy, while the event itself is here and genuine, is its store's fault and not the log's.")
	return answer.NewSection("stores", "One answer for each store", note, t)
}
