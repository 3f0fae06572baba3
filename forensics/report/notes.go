package report

import (
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// addNotes returns the unexamined parts, the limits of the report, and how to make it again.
func (g *gatherer) addNotes() {
	for _, l := range g.result.LeftOut {
		g.report.NotExamined = append(g.report.NotExamined, noteOf(string(l.What), l.Text, quoteAll(l.Items)))
	}
	g.noteSources()
	g.noteFindings()
	g.report.Limitations = limitations
	g.report.SetNames(Asked{})
}

// addNote adds a note about things, if there are any.
func (g *gatherer) addNote(code, text string, items []string) {
	if len(items) > 0 {
		g.report.NotExamined = append(g.report.NotExamined, noteOf(code, text, items))
	}
}

// noteOf makes a note with the first of some items.
func noteOf(code, text string, items []string) Note {
	shown, more := answer.Cut(items, mostItems)
	return Note{code, text, shown, int(more)}
}

func quoteAll(all []string) (quoted []string) {
	for _, one := range all {
		quoted = append(quoted, safetext.Quote(one))
	}
	return quoted
}

// noteSources names the sources that were not read whole.
func (g *gatherer) noteSources() {
	var broken []string
	for _, s := range g.report.Sources {
		if !s.Complete {
			broken = append(broken, safetext.Quote(s.Name()))
		}
	}
	g.addNote("source-skipped", "Sources that were not read, or in part:", quoteAll(g.result.Unread()))
	g.addNote("source-listed", "Sources with content of a kind that is only listed:", quoteAll(g.result.Listed()))
	g.addNote("source-not-whole", "Sources whose ingest was interrupted:", broken)
}

// noteFindings names the findings that say that something was not examined.
func (g *gatherer) noteFindings() {
	var all []string
	for _, f := range g.report.Findings {
		if f.Code.Entry().Open {
			all = append(all, f.Message)
		}
	}
	g.addNote("not-verified", "What could not be verified, or was not for a limit:", all)
}

// SetNames puts the names of the case and the trust file into the commands of a report. They are CASE
// and TRUST where they are not known.
func (r *Report) SetNames(q Asked) {
	r.named = q
	var paths []string
	for _, s := range r.Sources {
		paths = append(paths, s.Name())
	}
	if len(paths) == 0 || len(paths) > mostItems {
		paths = commonFolder(paths)
	}
	r.Reproduce = nil
	for _, line := range [][]string{append([]string{"ingest", "CASE"}, paths...), {"walk", "CASE", "--trust", "TRUST"},
		{"show", "findings", "CASE", "--trust", "TRUST"}, {"report", "CASE", "--trust", "TRUST", "--output", "html"}} {
		for i, word := range line {
			line[i] = safetext.ShellWord(q.nameFor(word))
		}
		r.Reproduce = append(r.Reproduce, "svc-verify "+strings.Join(line, " "))
	}
}

// commonFolder returns the folder that all paths are in, or PATH... if there is none.
func commonFolder(paths []string) []string {
	if len(paths) == 0 {
		return []string{"PATH..."}
	}
	folder := strings.Split(paths[0], "/")
	folder = folder[:len(folder)-1]
	for _, p := range paths[1:] {
		names := strings.Split(p, "/")
		n := 0
		for n < min(len(folder), len(names)-1) && folder[n] == names[n] {
			n++
		}
		folder = folder[:n]
	}
	if joined := strings.Join(folder, "/"); joined != "" && !strings.HasPrefix(joined, "receive:") {
		return []string{joined}
	}
	return []string{"PATH..."}
}

// limitations are the points that no report of this kind proves.
var limitations = []Note{
	{Code: "after-the-anchor",
		Text: "Completeness ends at the anchor that is named. Whether events followed, and were left out or removed, " +
			"does not follow from this evidence."},
	{Code: "unknown-log", Text: "A log that was not handed in, and that no anchor names, is not missed."},
	{Code: "trust-file",
		Text: "Everything here rests on the trust file with the digest above: on keys that were collected " +
			"independently and belong to whom it says. Compare the digest with the person who keeps the file."},
	{Code: "key-holder",
		Text: "A signature shows that a key was used, not who used it. Anyone with a log owner's key can sign " +
			"another history; only anchors that others signed contradict it."},
	{Code: "content-true",
		Text: "A genuine event is what the log's owner wrote. It need not be true."},
	{Code: "clocks", Text: "Times of events are from their owners' clocks, and times of observation from " +
		"collectors. No time here is proven."},
	{Code: "transport-metadata",
		Text: "Batch ids and times of observation were written on the way, and no one signed them. They explain; " +
			"they prove nothing."},
	{Code: "explanations",
		Text: "Explanations and hypotheses are usual ones in such cases. None of them is a finding, and none " +
			"excludes tampering."},
	{Code: "custody", Text: "How the sources reached the place where they were read is not part of this report. " +
		"Their SHA-256 digests say which bytes were read."},
	{Code: "unsigned", Text: "This report is not signed. To check it, make it again from the same sources and " +
		"trust file: all but notes and custody comes out the same."},
}
