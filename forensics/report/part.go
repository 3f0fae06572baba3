package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Part returns the content of a part, whose name is quoted.
func Part(d *part.Description, file string) *answer.Doc {
	doc := &answer.Doc{Title: "part  " + file}
	doc.Head = []answer.Block{
		answer.Paragraph("This is the part's description, not a verdict: svc-verify conclude gives one."),
		answer.Pairs{answer.Value("form", d.Form), answer.Value("octets", d.Octets),
			answer.Value("sha256", answer.Code(d.SHA256)), answer.Value("MAC", macs[d.MAC]), answer.Value("rules", d.Rules),
			answer.Value("reading", d.Reading), answer.Value("trust file", answer.Code(d.TrustSHA256)),
			answer.Value("plan", answer.Code(cmp.Or(d.PlanSHA256, "none: it was made without a plan")))}}
	doc.AddSections(answer.Section{Heading: "Records", Blocks: []answer.Block{answer.Pairs{
		answer.Value("copies of events", d.Totals.Copies), answer.Value("arrivals", d.Totals.Arrivals),
		answer.Value("statements", d.Totals.Statements), answer.Value("batches", d.Totals.Batches),
		answer.Value("documents", d.Totals.Documents, countsByName(d.Documents)),
		answer.Value("skipped", d.Totals.Skips, countsByName(d.Skips))}}},
		rangesSection(d.Sources), partLogsSection(d.Logs), unreadSection(d.Unread))
	return doc
}

// unreadSection lists the unread paths.
func unreadSection(all []facts.Unread) answer.Section {
	s := answer.Section{Heading: "Not read"}
	for _, u := range all {
		s.Blocks = append(s.Blocks, answer.Entry(answer.Say(answer.Name(u.Path)), answer.Say(u.Code+": "+u.Detail)))
	}
	return s
}

// macs are the texts on the MAC of a part.
var macs = map[part.MAC]string{
	part.NoMAC:        "none: anyone can have made this part",
	part.MACUnchecked: "not checked: --part-key checks it",
	part.MACHolds:     "holds under the part key",
}

// countsByName lists counts by name, in brackets.
func countsByName(all []part.Counted) string {
	var texts []string
	for _, c := range all {
		texts = append(texts, fmt.Sprintf("%s %d", safetext.Line(c.Name), c.Count))
	}
	if len(texts) == 0 {
		return ""
	}
	return " (" + strings.Join(texts, ", ") + ")"
}

// rangesSection lists the sources of a part, and how much of each was read.
func rangesSection(all []part.DescribedSource) answer.Section {
	var list answer.List
	for _, s := range all {
		name := answer.Say("the standard input, or a source without a path")
		if len(s.Paths) > 0 {
			name = answer.Say(answer.Name(s.Paths[0]))
		}
		what := fmt.Sprintf("all of %s", safetext.Count(int(s.Size), "octet"))
		if s.From > 0 || s.To < s.Size {
			what = fmt.Sprintf("octets %d to %d of %d", s.From, s.To, s.Size)
		}
		if !s.Complete {
			what += ", not read to the end"
		}
		list = append(list, answer.Item{Text: name, Below: []answer.Text{answer.Say(fmt.Sprintf("%s; %s: %s, %s, %d skipped",
			what, cmp.Or(s.Format, "no known format"), safetext.Count(int(s.Events), "event"),
			safetext.Count(int(s.Documents), "document"), s.Skips))}})
	}
	return answer.Section{Heading: safetext.Count(len(all), "range") + " of sources",
		Blocks: []answer.Block{list}}
}

// partLogsSection lists the logs of a part.
func partLogsSection(all []part.DescribedLog) answer.Section {
	var list answer.List
	for _, l := range all {
		list = append(list, answer.Item{Text: answer.Say(answer.Name(l.TenantID), " ", answer.Name(l.LogID)),
			Below: []answer.Text{answer.Say(fmt.Sprintf("events %d to %d: %s, %s, %s", l.First, l.Last,
				safetext.Count(l.Copies, "copy"), safetext.Count(int(l.Arrivals), "arrival"),
				safetext.Count(int(l.Statements), "statement")))}})
	}
	return answer.Section{Heading: safetext.Count(len(all), "log"),
		Blocks: []answer.Block{list}}
}
