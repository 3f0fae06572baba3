package report

import (
	"fmt"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Changes returns the differences between two walks.
func Changes(c *verdict.Changes, q Asked) *answer.Doc {
	d := &answer.Doc{Title: "changes  " + q.Name}
	walkText := func(w verdict.WalkName) answer.Text {
		return answer.Say(fmt.Sprintf("%d, %s, trust sha256 ", w.Number, w.Verdict), answer.Code(w.TrustSHA256))
	}
	d.Head = []answer.Block{answer.Pairs{answer.Value("since walk", walkText(c.Since)),
		answer.Value("walk", walkText(c.Walk))}}
	if !c.SameTrust {
		d.Lead = append(d.Lead, answer.Remark("The walks were under different trust files: what differs can come of that."))
	}
	d.AddSections(changedSection("Incidents", c.Incidents, func(name string) string { return name }),
		changedSection("Findings", c.Findings, func(f finding.Finding) string {
			return fmt.Sprintf("%s  %s [%s]", f.Severity, f.Lead(), f.Code)
		}),
		changedSection("Sources", c.Sources, func(s walk.SourceFile) string {
			return safetext.Quote(s.Path) + ", sha256 " + s.SHA256
		}),
		changedSection("Heads of logs", c.Heads, func(h verdict.LogHead) string {
			return fmt.Sprintf("%s: last event %d, %d missing, complete up to %d by others' word, up to %d by its own",
				safetext.Quote(h.LogID), h.LastSequence, h.Missing, h.CompleteByOthers, h.CompleteByOwn)
		}))
	if len(d.Sections) == 0 {
		d.Head = append(d.Head, answer.Paragraph("Nothing differs."))
	}
	d.Next = []string{"svc-verify", "show", "findings", q.Case}
	return d
}

// changedSection lists changes by texts that are safe to show.
func changedSection[T any](heading string, c verdict.Changed[T], text func(T) string) answer.Section {
	var all answer.List
	add := func(lead string, one T, below ...answer.Text) {
		all = append(all, answer.Item{Text: answer.Say(lead, text(one)), Below: below})
	}
	for _, one := range c.New {
		add("new: ", one)
	}
	for _, one := range c.Gone {
		add("gone: ", one)
	}
	for _, one := range c.Changed {
		add("now: ", one.After, answer.Say("before: ", text(one.Before)))
	}
	if len(all) == 0 {
		return answer.Section{}
	}
	shown, left := answer.Cut(all, answer.MostFindings)
	return answer.NewSection("", fmt.Sprintf("%s: %d new, %d gone, %d changed", heading, len(c.New), len(c.Gone),
		len(c.Changed)), answer.List(shown), leftOut(left, "changes", "--output json"))
}
