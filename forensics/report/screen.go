package report

import (
	"fmt"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/incident"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/columns"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/verify"
	"github.com/svc-edge/svc-verify/verify/text"
)

// Asked is the subject of a user's question, as far as an answer names it.
type Asked struct {
	Name  string   // of the evidence, safe to show
	Case  string   // the path of the case, "" without one
	Trust string   // the path of the trust file, "" if it was not given
	Next  []string // the words of the command to go on with, where there is no case
}

// Screen returns the first screen of an answer, for a terminal of 80 columns and 24 lines: the
// verdict, unread sources, each incident, the logs, and one next command.
func Screen(r *verdict.Result, q Asked) *answer.Doc {
	d := headOfScreen(r, q)
	foot := answer.Section{Blocks: append(logBlocks(r), restBlocks(r)...)}
	d.Sections = []answer.Section{foot}
	if len(r.Incidents) > 0 {
		room := answer.ScreenLines - d.Lines() - 1
		d.Sections = []answer.Section{{Blocks: incidentBlocks(r.Incidents, room)}, foot}
	}
	return d
}

// headOfScreen begins an answer with the counts of the evidence, its unread sources, and the next command.
func headOfScreen(r *verdict.Result, q Asked) *answer.Doc {
	d := headOf(r, q.Name)
	d.Lead = append(d.Lead, unreadNotes(r)...)
	d.Head = append([]answer.Block{answer.Paragraph(evidenceCounts(r))}, d.Head...)
	if text := explainedText(r.Incidents); text != "" {
		d.Head = append(d.Head, answer.Paragraph(text))
	}
	if r.Verdict != verify.Verified {
		d.Next = nextCommand(r, q)
	}
	return d
}

// headOf begins an answer on a case: the verdict with its reason, the unexamined parts, and
// the keys that the trust file lacks. A case that was not examined has no result.
func headOf(r *verdict.Result, name string) *answer.Doc {
	if r == nil {
		return &answer.Doc{Title: name, Verdict: "not walked", Tone: answer.Warn}
	}
	what := kindCounts(r.Incidents)
	switch {
	case what == "" && r.Verdict != verify.Verified:
		what = r.Why().Text
	case len(r.LeftOut) > 0 && what != "":
		what = "not all was examined; " + what
	}
	d := startAnswer(name, what, r.Verdict, r.LeftOut)
	for _, a := range r.Assumed {
		d.Lead = append(d.Lead, answer.Remark(a.Text))
	}
	d.Head = append(d.Head, text.KeysMissing(r.UnknownKeys)...)
	return d
}

// startAnswer begins an answer with a verdict on a named subject, the reason, and the
// unexamined parts.
func startAnswer(name, reason string, v verify.Verdict, left []verdict.LeftOut) *answer.Doc {
	d := answer.NewAnswer(v, strings.TrimSuffix(name+": "+reason, ": "))
	for _, l := range left {
		d.LeftOut = append(d.LeftOut, answer.Say(l.Text, " ", shortPaths(l.Items)))
	}
	return d
}

// kindCounts counts incidents by kind, in the order of the first of each.
func kindCounts(all []incident.Incident) string {
	var kinds []incident.Kind
	n := map[incident.Kind]int{}
	for _, i := range all {
		if n[i.Kind]++; n[i.Kind] == 1 {
			kinds = append(kinds, i.Kind)
		}
	}
	var counts []string
	for _, k := range kinds {
		counts = append(counts, safetext.Count(n[k], k.Noun()))
	}
	return strings.Join(counts, ", ")
}

// evidenceCounts counts the evidence that was examined.
func evidenceCounts(r *verdict.Result) string {
	var events uint64
	for _, l := range r.Logs {
		events += l.Events
	}
	text := fmt.Sprintf("%s, %s in %s", safetext.Count(len(r.Logs), "log"), safetext.Count(events, "event"),
		safetext.Count(len(r.Sources), "file"))
	if len(r.Proofs) > 0 {
		counts := r.Statuses()
		for i := range counts {
			counts[i].What += transactionsOf(r.Proofs, counts[i].What)
		}
		text += fmt.Sprintf("; %s: %s", safetext.Count(len(r.Proofs), "genuine proof"), answer.JoinCounts(counts...))
	}
	return text
}

// transactionsOf names the transactions of proofs that say that a certificate is revoked.
func transactionsOf(all []crosscheck.Bundle, status string) string {
	var ids []string
	for _, b := range all {
		if status == bundle.Revoked && b.Status == status && b.SupersededBy == "" {
			ids = append(ids, b.TransactionID)
		}
	}
	if len(ids) == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s)", shortPaths(ids))
}

// shortPaths lists the first two of some paths, and firstPaths so many. One alone has room for more of it.
func shortPaths(paths []string) answer.Text { return firstPaths(paths, 2) }

func firstPaths(paths []string, most int) answer.Text {
	width := 32
	if len(paths) == 1 {
		width = 48
	}
	var all []answer.Span
	for _, path := range paths {
		all = append(all, shortPath(path, width))
	}
	return answer.NameList(all, most)
}

// shortPath quotes a path, or as many of its last names as so many columns hold.
func shortPath(path string, most int) answer.Span {
	if columns.Width(safetext.Quote(path)) <= most {
		return answer.Name(path)
	}
	names := strings.Split(path, "/")
	for i := 1; i < len(names); i++ {
		if rest := safetext.Quote(strings.Join(names[i:], "/")); columns.Width(rest) <= most-2 {
			return answer.Span{Text: "…/" + rest}
		}
	}
	return answer.Span{Text: "…/" + columns.Cut(names[len(names)-1], most-2)}
}

// unreadNotes names the sources that were not read, or not whole, on a line for each kind.
func unreadNotes(r *verdict.Result) (notes []answer.Block) {
	addLine := func(kind string, paths []string) {
		if len(paths) > 0 {
			notes = append(notes, answer.Remark(kind, firstPaths(paths, 1), "."))
		}
	}
	addLine("Not read, or in part: ", r.Unread())
	addLine("Not read, and only listed: ", r.Listed())
	return notes
}

// restBlocks counts the parts that are shown nowhere else.
func restBlocks(r *verdict.Result) []answer.Block {
	notes, idle := 0, 0
	for _, f := range r.Findings {
		if f.Effect() == finding.None {
			notes++
		}
	}
	for _, s := range r.Sources {
		if s.Records <= s.Skipped {
			idle++
		}
	}
	var rest []string
	if idle > 0 {
		rest = append(rest, safetext.Count(idle, "file")+" without evidence")
	}
	if notes > 0 {
		rest = append(rest, safetext.Count(notes, "note"))
	}
	if len(rest) == 0 {
		return nil
	}
	return []answer.Block{answer.Paragraph(strings.Join(rest, ", ") + ". All of it: --full")}
}
