package report

import (
	"fmt"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/forensics/pack"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/verify"
	"github.com/svc-edge/svc-verify/verify/text"
)

// Pack shows the proof in a pack, and the claims of its maker. Next is the words of the command to go on
// with, nil for the one that explains the first finding.
func Pack(r *pack.Result, name string, next []string) *answer.Doc {
	d := answer.NewAnswer(r.Verdict, name)
	d.Next = next
	d.LeftOut = []answer.Text{answer.Say("Events that are not in the pack: it shows nothing of them.")}
	for rest := r.Shown; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].LogID == rest[0].LogID && rest[n].TenantID == rest[0].TenantID &&
			rest[n].Keys == rest[0].Keys && rest[n].Sequence == rest[n-1].Sequence+1 {
			n++
		}
		d.Lead, rest = append(d.Lead, contradictionText(rest[:n])), rest[n:]
	}
	if len(r.Findings) > 0 {
		f := r.Findings[0]
		d.Lead = append(d.Lead, answer.SentencePara(fmt.Sprintf("line %d: %s [%s]", f.Line, f.Sentence(), f.Code)))
		text.AddNextStep(d, f.Code)
	}
	if r.Verdict == verify.Inconclusive && len(r.Findings) == 0 {
		d.Lead = append(d.Lead, answer.Paragraph("The pack has neither an event nor a proof."))
	}
	proven := 0
	for _, p := range r.Proofs {
		if p.Verdict == verify.Verified {
			proven++
		}
	}
	d.Head = []answer.Block{answer.Pairs{
		answer.Value("events", fmt.Sprintf("%d disclosed, %d redacted", r.Disclosed, r.Redacted)),
		answer.Value("proofs", fmt.Sprintf("%d, %d of them verified", len(r.Proofs), proven)),
		answer.Value("sha256", answer.Code(r.FileSHA256)),
		answer.Value("trust sha256", answer.Code(r.TrustSHA256)),
	}}
	histories := []answer.Block{historyTable(r.Histories)}
	if r.Redacted > 0 && len(r.Histories) > 0 {
		histories = append(histories, answer.Remark("Redacted events are in their logs, in these places, under "+
			"signatures of the logs' owners. Their time, type and content are not shown."))
	}
	d.AddSections(answer.NewSection("", "Histories", histories...), claimsSection(r))
	return d
}

// contradictionText describes pairs of events in a row that the same keys signed.
func contradictionText(all []pack.Contradiction) answer.Para {
	c, which, first := all[0], fmt.Sprint("events ", all[0].Sequence), ""
	if len(all) > 1 {
		which, first = fmt.Sprintf("histories, events %d to %d", c.Sequence, all[len(all)-1].Sequence), "the first on "
	}
	by := answer.Say("keys ", answer.Name(c.Keys[0]), " and ", answer.Name(c.Keys[1]), " signed one each")
	if c.Keys[0] == c.Keys[1] {
		by = answer.Say("key ", answer.Name(c.Keys[0]), " signed both")
	}
	return answer.Paragraph(answer.Name(c.LogID), " has two ", which, ": its owner's ", by,
		fmt.Sprintf(" (%slines %d and %d).", first, c.Lines[0], c.Lines[1]))
}

// historyTable has the events of each history, and the word of others on them.
func historyTable(all []pack.History) answer.Table {
	t := answer.Table{Columns: answer.Columns("log", "", "events", "", "disclosed", "number", "redacted", "number",
		"seen by others", "")}
	shown, left := answer.Cut(all, answer.MostItems)
	for _, h := range shown {
		t.Rows = append(t.Rows, answer.Row(answer.Name(h.LogID), fmt.Sprintf("%d to %d", h.First, h.Last), h.Disclosed,
			h.Redacted, seenText(&h)))
	}
	t.Left = leftOut(left, "histories", "--output json")
	return t
}

// seenText names the newest event of a history that others vouch for.
func seenText(h *pack.History) string {
	if h.Seen == nil && !h.LogShown {
		return "no, and nothing shows the log"
	}
	if h.Seen == nil {
		return "no: the owner's word alone"
	}
	by := strings.ReplaceAll(string(h.Seen.By), "-", " ")
	if n := len(h.Seen.Nodes); n > 0 {
		by += ", " + safetext.Count(n, "node")
	}
	return fmt.Sprintf("up to %d, %s, %s", h.Seen.Sequence, by, h.Seen.At)
}

// claimsSection has the claims of the maker of a pack.
func claimsSection(r *pack.Result) answer.Section {
	c := r.Claims
	if c == nil {
		return answer.Section{}
	}
	claims := answer.Pairs{answer.Value("verdict of the case", string(c.Verdict)),
		answer.Value("trust sha256", answer.Code(c.TrustSHA256)),
		answer.Value("sources of the case", fmt.Sprint(len(c.Sources)))}
	var findings answer.List
	for _, f := range c.Findings {
		findings = append(findings, answer.Item{Text: answer.Say(fmt.Sprintf("%s %d to %d [%s]", safetext.Quote(f.LogID),
			f.Sequence, f.Last, f.Code))})
	}
	shown, left := answer.Cut(findings, answer.MostFindings)
	return answer.NewSection("", "Claims of its maker, without proof", claims, answer.List(shown),
		leftOut(left, "findings", "--output json"))
}
