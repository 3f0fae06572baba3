package text

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/incident"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/columns"
	"github.com/svc-edge/svc-verify/internal/page"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/verify"
)

// ScreenLines is how many lines the first screen has at most.
const ScreenLines = 24

// Asked is what a user asked about, as far as an answer names it.
type Asked struct {
	Name  string   // of the evidence, safe to show
	Case  string   // the path of the case, "" without one
	Trust string   // the path of the trust file, "" if it was not given
	Next  []string // the words of the command to go on with, where there is no case
}

// Screen renders the first screen of an answer, for a terminal of 80 columns and 24 lines: the
// verdict, each incident, the logs, unread sources, and one next command.
func Screen(r *verdict.Result, q Asked) *page.Page {
	p := page.New()
	writeHead(p, r, q)
	foot := page.New()
	writeLogTable(foot, r)
	writeRest(foot, r)
	writeNext(foot, r, q)
	writeIncidents(p, r.Incidents, ScreenLines-countLines(p)-countLines(foot)-1)
	p.Break()
	p.WriteString(foot.String())
	return p
}

// countLines counts the lines of a page.
func countLines(p *page.Page) int { return strings.Count(p.String(), "\n") }

// words are the verdicts as people see them first.
var words = map[verify.Verdict]string{verify.Verified: "VERIFIED", verify.Rejected: "REJECTED",
	verify.Inconclusive: "OPEN"}

// writeHead writes the verdict, its subject, the parts that were not examined and which keys the trust
// file lacks.
func writeHead(p *page.Page, r *verdict.Result, q Asked) {
	for _, a := range r.Assumed {
		p.Prose(0, a.Text)
	}
	p.Break()
	writeVerdict(p, r, q)
	p.Prose(2, extent(r))
	writeUnknownKeys(p, r.UnknownKeys)
	for _, l := range r.LeftOut {
		p.Prose(2, strings.TrimSpace("Not examined: "+l.Text+" "+nameFirst(l.Items)))
	}
}

// writeVerdict writes the verdict, its subject and its reason.
func writeVerdict(p *page.Page, r *verdict.Result, q Asked) {
	word := cmp.Or(words[r.Verdict], words[verify.Inconclusive])
	what := kindCounts(r.Incidents)
	switch {
	case what == "" && r.Verdict != verify.Verified:
		what = r.Why().Text
	case len(r.LeftOut) > 0 && what != "":
		what = "not all was examined; " + what
	}
	writeLed(p, word, "", strings.TrimSuffix(q.Name+": "+what, ": "))
}

// writeLed writes text behind a word that has a colour, after the text before that word.
func writeLed(p *page.Page, word, before, text string) {
	p.Lead(word, func() {
		line := before + word + " "
		for _, next := range strings.Fields(safetext.Line(text)) {
			if columns.Width(line)+1+columns.Width(next) > page.Width {
				p.WriteString(line + "\n")
				line = " "
			}
			line += " " + next
		}
		p.WriteString(line + "\n")
	})
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

// extent counts the evidence that was examined.
func extent(r *verdict.Result) string {
	var events uint64
	for _, l := range r.Logs {
		events += l.Events
	}
	text := fmt.Sprintf("%s, %s in %s", safetext.Count(len(r.Logs), "log"), safetext.Count(events, "event"),
		safetext.Count(len(r.Sources), "file"))
	if len(r.Proofs) > 0 {
		var parts []string
		for _, c := range r.Statuses() {
			if c.N > 0 {
				parts = append(parts, fmt.Sprintf("%d %s", c.N, c.What)+transactionsOf(r.Proofs, c.What))
			}
		}
		text += fmt.Sprintf("; %s: %s", safetext.Count(len(r.Proofs), "genuine proof"), strings.Join(parts, ", "))
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
	return " (" + nameFirst(ids) + ")"
}

// nameFirst lists the first of some names, each quoted.
func nameFirst(names []string) string {
	const most = 2
	var all []string
	for _, name := range names[:min(len(names), most)] {
		all = append(all, shortPath(name))
	}
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(all, ", "), more)
	}
	return strings.Join(all, ", ")
}

// shortPath quotes a path, or as many of its last names as 32 columns hold.
func shortPath(path string) string {
	const most = 32
	if columns.Width(safetext.Quote(path)) <= most {
		return safetext.Quote(path)
	}
	names := strings.Split(path, "/")
	for i := 1; i < len(names); i++ {
		if rest := safetext.Quote(strings.Join(names[i:], "/")); columns.Width(rest) <= most-2 {
			return "…/" + rest
		}
	}
	return "…/" + columns.Cut(names[len(names)-1], most-2)
}

// writeRest names unread sources, and counts the rest.
func writeRest(p *page.Page, r *verdict.Result) {
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
	if unread := r.Unread(); len(unread) > 0 {
		p.Prose(0, "Not read, or in part: "+nameFirst(unread)+".")
	}
	var rest []string
	if idle > 0 {
		rest = append(rest, safetext.Count(idle, "file")+" without evidence")
	}
	if notes > 0 {
		rest = append(rest, safetext.Count(notes, "note"))
	}
	if len(rest) > 0 {
		p.Prose(0, strings.Join(rest, ", ")+". All of it: --full")
	}
}
