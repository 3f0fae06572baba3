package text

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/archive"
	"github.com/svc-edge/svc-verify/archive/logbook"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/run"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/page"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
)

// Log renders the history of an archive, the first run first.
func Log(l *logbook.Log) *page.Page {
	t := page.New()
	t.Answer(string(l.Verdict), "ledger of "+safetext.Count(l.Ledger.Runs, "run"))
	about(t, &l.Ledger)
	for i := range l.Runs {
		writeLogged(t, &l.Runs[i])
	}
	if l.Pending != nil {
		t.Heading("since then, in the record of the next run")
		writeChanges(t, l.Pending)
	}
	return t
}

// about says how far a ledger can be believed, and which run is the newest.
func about(t *page.Page, a *logbook.About) {
	for _, f := range a.Findings {
		t.Prose(2, string(f.Code)+": "+f.Message)
	}
	if a.InterruptedAt != "" {
		t.Prose(2, "A run that began at "+a.InterruptedAt+" was interrupted. The next one continues it.")
	}
	if a.Expected != nil && a.Expected.Run != 0 {
		t.Prose(2, fmt.Sprintf("The run that was expected is run %d of %d.", a.Expected.Run, a.Runs))
	}
	if a.Newest != "" {
		t.Pairs(page.Pair{"newest run", a.Newest})
	}
}

func writeLogged(t *page.Page, r *logbook.Run) {
	c := r.Record.Counts
	t.Heading(fmt.Sprintf("run %d  %s, exit %d", r.Record.Number, moment(r.Record.Began), r.Record.Exit))
	t.Prose(2, fmt.Sprintf("read %d of %s%s; %s verified, %s", c["read"], safetext.Count(r.Record.Objects, "object"),
		how(&r.Record), number(c[string(outcome.Verified)]), others(c)))
	if r.Record.Continued {
		t.Prose(2, "It continued a run that was interrupted.")
	}
	if r.Record.Adopted != (run.Digest{}) {
		t.Prose(2, fmt.Sprintf("It adopted the ledger of another user, whose newest run was %x.", r.Record.Adopted))
	}
	writeChanges(t, &r.Changes)
	t.Pairs(page.Pair{"sha256", r.SHA256})
}

// how says which objects a run read.
func how(r *run.Record) string {
	switch {
	case r.Whole:
		return ", all that were there"
	case r.Sample > 0:
		return ", with a sample of the seed " + safetext.Quote(r.Seed)
	}
	return ""
}

// others are the numbers of objects that are not verified, without those that are 0.
func others(c map[string]int64) string {
	parts := []string{number(c[string(outcome.Rejected)]) + " rejected"}
	for _, name := range []string{"accepted", string(outcome.Inconclusive), "missing", "altered", "unreadable", "stale"} {
		if c[name] > 0 {
			parts = append(parts, number(c[name])+" "+name)
		}
	}
	return strings.Join(parts, ", ")
}

// writeChanges says what changed, and names what a reader has to know.
func writeChanges(t *page.Page, c *logbook.Changes) {
	if len(c.Classes) == 0 {
		t.Prose(2, "Nothing changed.")
		return
	}
	var parts []string
	for _, class := range slices.Sorted(maps.Keys(c.Classes)) {
		parts = append(parts, number(c.Classes[class])+" "+safetext.Line(class))
	}
	t.Prose(2, "Changed: "+strings.Join(parts, ", ")+".")
	for i := range c.Changes {
		writeChange(t, &c.Changes[i])
	}
	if c.More > 0 {
		t.Prose(2, fmt.Sprintf("and %d more; archive diff names all", c.More))
	}
}

func writeChange(t *page.Page, c *run.Change) {
	t.Prose(2, safetext.Line(c.Class)+"  "+safetext.Quote(object.PathText(c.Path)))
	if a := c.Acceptance; a != nil {
		t.Prose(4, fmt.Sprintf("by %s at %s: %s", safetext.Quote(a.By), moment(a.At), safetext.Quote(a.Reason)))
	}
	writeStates(t, logbook.StateOf(c.Before), logbook.StateOf(c.After))
}

// writeStates says what an object was, and what it is. A digest that stayed is there
// once.
func writeStates(t *page.Page, before, after *logbook.State) {
	if before != nil {
		t.Prose(4, "before: "+state(before))
		t.Prose(6, before.SHA256)
	}
	switch {
	case after == nil:
		t.Prose(4, "after: not in the ledger any more")
	case after.Wrong == string(archive.Missing) || after.Wrong == string(archive.Unreadable):
		t.Prose(4, "after: "+after.Wrong)
	case before != nil && before.SHA256 == after.SHA256:
		t.Prose(4, "after: "+state(after)+", with the same digest")
	default:
		t.Prose(4, "after: "+state(after))
		t.Prose(6, after.SHA256)
	}
}

// state says what an object was.
func state(s *logbook.State) string {
	parts := []string{}
	for _, word := range []string{s.Wrong, string(s.Verdict), s.Code} {
		if word != "" {
			parts = append(parts, safetext.Line(word))
		}
	}
	return strings.Join(append(parts, safetext.Count(s.Size, "octet")), ", ")
}

// Status renders how an archive stands.
func Status(s *logbook.Status) *page.Page {
	t := page.New()
	t.Answer(string(s.Verdict), safetext.Count(s.Objects.Objects, "object")+" at "+s.At)
	UnknownKeys(t, &s.Said)
	about(t, &s.Ledger)
	if !s.Ledger.Believed() {
		return t
	}
	t.Heading("reading")
	oldest := "none"
	if s.Oldest != nil {
		oldest = s.Oldest.ReadAt + ", " + safetext.Quote(s.Oldest.Path)
	}
	t.Pairs(page.Pair{"in the last " + safetext.Age(s.MaxAgeSeconds), amount(s.Read)},
		page.Pair{"longer ago, or never", amount(s.Stale)},
		page.Pair{"missing or unreadable", amount(s.Absent)}, page.Pair{"oldest", oldest})
	if r := s.NewestRun; r != nil {
		whole := "not everything was read"
		if r.Whole {
			whole = "everything was read"
		}
		t.Pairs(page.Pair{"newest run", fmt.Sprintf("run %d, ended %s, exit %d; %s", r.Number, r.EndedAt, r.Exit, whole)})
	}
	t.Heading("evidence")
	t.Pairs(evidence(s)...)
	writeWrong(t, s)
	Said(t, &s.Said)
	return t
}

func evidence(s *logbook.Status) []page.Pair {
	all := []page.Pair{{"verified", number(s.Verified)}, {"rejected", number(s.Rejected)}}
	for _, c := range []struct {
		label string
		n     int64
	}{{"inconclusive", s.Inconclusive}, {"of these accepted", s.Accepted}, {"no evidence", s.NoEvidence},
		{"found, and never read", s.NeverRead},
		{"under other trust or rules", s.OtherContexts}} {
		if c.n > 0 {
			all = append(all, page.Pair{c.label, number(c.n)})
		}
	}
	return all
}

// writeWrong lists what is wrong now.
func writeWrong(t *page.Page, s *logbook.Status) {
	t.Heading("wrong now")
	if len(s.Wrong) == 0 {
		t.Prose(2, "nothing that the ledger knows of")
	}
	shown := s.Wrong[:min(len(s.Wrong), listed)]
	for _, w := range shown {
		what := w.Wrong
		if what == "" {
			what = string(w.Verdict)
		}
		t.Prose(2, what+"  "+safetext.Quote(w.Path))
		if w.Code != "" {
			t.Prose(4, safetext.Line(string(w.Code))+": "+w.Reason)
		}
		if w.ReadAt != "" {
			t.Prose(4, fmt.Sprintf("as it was, it was read last at %s, in run %d", w.ReadAt, w.Run))
		}
		t.Prose(4, "sha256 "+w.SHA256)
	}
	if more := int64(len(s.Wrong)-len(shown)) + s.More; more > 0 {
		t.Prose(2, fmt.Sprintf("and %d more; --output json has 1000", more))
	}
}

// Diff renders what became different between two runs.
func Diff(d *logbook.Diff) *page.Page {
	t := page.New()
	title := "ledger"
	if d.From != nil {
		title = fmt.Sprintf("runs %d to %d: %s", d.From.Number, d.To.Number, changed(int64(len(d.Objects))+d.More))
	}
	t.Answer(string(d.Verdict), title)
	about(t, &d.Ledger)
	shown := d.Objects[:min(len(d.Objects), mostDifferences)]
	for i := range shown {
		writeDifference(t, &shown[i])
	}
	if more := int64(len(d.Objects)-len(shown)) + d.More; more > 0 {
		t.Break()
		t.Prose(2, fmt.Sprintf("and %d more; --output json has up to 100000", more))
	}
	return t
}

// changed counts objects that changed.
func changed(n int64) string { return safetext.Count(n, "object") + " changed" }

// mostDifferences is how many objects a page has that differ.
const mostDifferences = 1000

func writeDifference(t *page.Page, x *logbook.Difference) {
	t.Heading(safetext.Quote(x.Path))
	t.Prose(2, fmt.Sprintf("%s in run %d, which ended %s", safetext.Line(x.Class), x.First.Number, x.First.EndedAt))
	for _, step := range x.Later {
		t.Prose(2, fmt.Sprintf("%s in run %d", safetext.Line(step.Class), step.Run))
	}
	if x.From != "" {
		t.Prose(2, "from "+safetext.Quote(x.From))
	}
	if x.Returned {
		t.Prose(2, "it is again as it was")
		return
	}
	writeStates(t, x.Before, x.After)
}

// Accepted renders what was accepted.
func Accepted(a *logbook.Accepted) *page.Page {
	t := page.New()
	if a.Change == nil {
		t.Answer(string(a.Verdict), "nothing was accepted")
		about(t, &a.Ledger)
		return t
	}
	t.Heading("in the record of the next run")
	writeChange(t, a.Change)
	return t
}

func amount(a logbook.Amount) string {
	return safetext.Count(a.Objects, "object") + ", " + safetext.Count(a.Octets, "octet")
}

func number(n int64) string { return fmt.Sprint(n) }

// moment writes a time in milliseconds since 1970.
func moment(ms int64) string { return form.FormatMillis(ms) }
