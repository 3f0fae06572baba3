package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/forensics/custody"
	"github.com/svc-edge/svc-verify/forensics/incident"
	"github.com/svc-edge/svc-verify/forensics/query"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Custody returns the journal of a case, whose name is quoted, or the notes about one subject.
func Custody(c *query.Custody, file string) *answer.Doc {
	d := &answer.Doc{Title: "custody  " + file}
	if c.About != nil {
		d.Title = "notes  " + file + ": " + string(c.About.Kind) + " " + safetext.Quote(c.About.Name)
	}
	d.AddSections(custodySections(&c.Journal, len(c.Entries))...)
	if len(c.Entries) == 0 {
		d.Head = append(d.Head, answer.Paragraph("There is no entry."))
	}
	return d
}

// custodySections are the faults of a journal, and as many of its newest entries. Without a
// journal there are none.
func custodySections(j *custody.Journal, most int) []answer.Section {
	if j == nil {
		return nil
	}
	faults := answer.Section{Heading: "What does not fit"}
	for _, f := range j.Faults {
		faults.Blocks = append(faults.Blocks, answer.SentencePara(f.Sentence()))
	}
	var list answer.List
	for _, e := range slices.Backward(j.Entries[max(0, len(j.Entries)-most):]) {
		list = append(list, entryItem(e))
	}
	blocks := []answer.Block{}
	if len(list) > 0 {
		blocks = append(blocks, answer.Remark("The newest comes first. Times are by the clocks of the machines, and names "+
			"as people gave them. Nothing here is signed, and none of it changes a verdict."),
			answer.Pairs{answer.Value("head", j.Head.Number, ", sha256 ", answer.Code(j.Head.SHA256))}, list,
			leftOut(len(j.Entries)-len(list), "entries", "svc-verify note CASE"))
	}
	return []answer.Section{faults, answer.NewSection("custody", "Custody", blocks...)}
}

// entryItem shows an entry.
func entryItem(e custody.Entry) answer.Item {
	item := answer.Item{Text: answer.Say(e.Number, "  ", form.Clock(e.Time), "  ", answer.Name(e.Command), ", version ",
		answer.Name(e.Version))}
	below := func(parts ...any) { item.Below = append(item.Below, answer.Say(parts...)) }
	if s := e.Added; s != nil {
		below("added ", safetext.Count(s.Count, "source"), digestsText(s))
	}
	if s := e.Replaced; s != nil {
		below("replaced ", safetext.Count(s.Count, "source"), digestsText(s))
	}
	if w := e.Walk; w != nil {
		below("walk ", w.Number, ": ", answer.Name(w.Verdict), ", ", safetext.Count(w.Findings, "finding"),
			", trust sha256 ", answer.Code(w.Trust))
	}
	if n := e.Note; n != nil {
		below(string(n.Subject.Kind), " ", answer.Name(n.Subject.Name), ": ", noteText(e))
	}
	return item
}

// digestsText begins the list of sources with their first digest.
func digestsText(s *custody.Sources) string {
	switch len(s.Digests) {
	case 0:
		return ""
	case 1:
		return ", sha256 " + s.Digests[0]
	}
	return fmt.Sprintf(", sha256 %s and %d more", s.Digests[0], s.Count-1)
}

// noteText is the text of a note, safe to show.
func noteText(e custody.Entry) string {
	var parts []string
	n := e.Note
	if n.Explained {
		parts = append(parts, "explained")
	}
	if n.Text != "" {
		parts = append(parts, safetext.Quote(n.Text))
	}
	for _, tag := range n.Tags {
		parts = append(parts, "#"+safetext.Quote(tag))
	}
	if n.By != "" {
		parts = append(parts, "by "+safetext.Quote(n.By))
	}
	return fmt.Sprintf("%s (entry %d)", strings.Join(parts, ", "), e.Number)
}

// notesCell are notes, the newest last.
func notesCell(notes []custody.Entry) answer.Cell {
	var lines answer.Cell
	for _, e := range notes {
		lines = append(lines, answer.Say(noteText(e)))
	}
	return lines
}

// explainedText counts the incidents that people explained; "" if there is none.
func explainedText(all []incident.Incident) string {
	n := 0
	for i := range all {
		if all[i].Explained() {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %s explained by notes, which change no verdict", n, safetext.Count(len(all), "incident"))
}
