package report

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/forensics/affected"
	"github.com/svc-edge/svc-verify/forensics/status"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/columns"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify/text"
)

// notForged explains why a transaction is listed.
const notForged = "These transactions rest on a doubtful word. That does not make them forged."

// quorumWords say whether a certificate has a quorum without the doubtful nodes.
var quorumWords = map[affected.Quorum]string{affected.Lacks: "without", affected.Has: "has one",
	affected.Unknown: "unknown"}

// Affected returns the transactions that an incident reaches: a table of the first ones, or in full
// a card of each. Next is the words of the command to go on with.
func Affected(a *affected.Answer, full bool, next []string) *answer.Doc {
	d := &answer.Doc{Title: affectedCounts(a), Lead: text.KeysMissing(a.UnknownKeys)}
	for _, l := range a.LeftOut {
		d.LeftOut = append(d.LeftOut, answer.Say(l.Text, " ", shortPaths(l.Items)))
	}
	for _, sentence := range a.NotRead {
		d.LeftOut = append(d.LeftOut, answer.Say(sentence, "."))
	}
	several := len(tenantsOf(a)) > 1
	if len(a.Export) > 0 {
		d.Lead = append(d.Lead, answer.Para(exportText(a, several, full)))
	}
	d.Head = []answer.Block{affectedPairs(a, full)}
	if len(a.Certificates) > 0 {
		d.Foot, d.Next = []answer.Block{answer.Paragraph(notForged)}, next
	}
	if !full {
		d.AddSections(answer.Section{Blocks: []answer.Block{affectedTable(a.Certificates, several)}})
		return d
	}
	var cards []answer.Block
	shown, more := answer.Cut(a.Certificates, answer.MostItems)
	for i := range shown {
		cards = append(cards, affectedCard(&shown[i]))
	}
	d.AddSections(answer.Section{Blocks: append(cards, leftOut(more, "certificates", "--output json or csv"))})
	return d
}

// mostAffected bounds the incidents whose transactions a report lists: each is a pass over the case.
const mostAffected = 5

// FindAffected adds the transactions that the gravest incidents reach, as the command affected lists
// them. The arguments are the case of the report, and the trust file and the result of its examination.
func (r *Report) FindAffected(ctx context.Context, c *store.Case, root *trust.Root, result *verdict.Result) error {
	for _, one := range r.Incidents[:min(len(r.Incidents), mostAffected)] {
		a, err := affected.Find(ctx, c, root, result, affected.Question{Incident: one.Name})
		if err != nil {
			return err
		}
		a.UnknownKeys, a.LeftOut = nil, []verdict.LeftOut{} // the report has both
		r.Affected = append(r.Affected, a)
	}
	return nil
}

// affectedSection lists the transactions that each of the gravest incidents reaches.
func affectedSection(r *Report) answer.Section {
	const heading = "Transactions that it touches"
	if len(r.Incidents) == 0 {
		return answer.Section{}
	}
	if r.Affected == nil {
		return answer.NewSection("transactions", heading, answer.Remark("This report was made without the trust "+
			"file. With it, a report lists the transactions, as this command does: ",
			answer.Code(r.named.commandFor("svc-verify affected CASE "+r.Incidents[0].Name+" --trust TRUST"))))
	}
	command := func(incident string) string {
		return r.named.commandFor("svc-verify affected CASE " + incident + " --trust TRUST --output csv")
	}
	var counts answer.List
	all := affectedTable(nil, false)
	all.Columns[0].Head += " and incident"
	for i, a := range r.Affected {
		several := len(tenantsOf(a)) > 1
		name := answer.Name(a.Incident)
		name.Link = fmt.Sprintf("incident-%d", i+1)
		item := answer.Item{Text: answer.Say(name, ": ", affectedCounts(a), ".")}
		for _, sentence := range a.NotRead {
			item.Below = append(item.Below, answer.Say("Not examined: ", sentence, "."))
		}
		if len(a.Export) > 0 {
			item.Below = append(item.Below, exportText(a, several, false))
		}
		own := affectedTable(a.Certificates, several)
		for _, row := range own.Rows {
			row[0] = append(row[0], answer.Say(name)) // on a line of its own: a page has no room for a column
			all.Rows = append(all.Rows, row)
		}
		if own.Left.N > 0 {
			item.Below = append(item.Below, answer.Say(leftOut(own.Left.N, "certificates", command(a.Incident)).Sentence()))
		}
		counts = append(counts, item)
	}
	return answer.NewSection("transactions", heading, counts, all, leftOut(len(r.Incidents)-len(r.Affected), "incidents",
		command("NAME")), answer.Remark(notForged))
}

// affectedCounts counts transactions in one line.
func affectedCounts(a *affected.Answer) string {
	n := a.Counts
	title := fmt.Sprintf("%s, %d without a quorum", safetext.Count(n.Transactions, "transaction"), n.WithoutQuorum)
	if n.Unknown > 0 {
		title += fmt.Sprintf(", %d not known in full", n.Unknown)
	}
	return title
}

// reachedText counts the transactions, and reports whether there can be more, as not every event was examined.
func reachedText(a *affected.Answer) string {
	if len(a.NotRead) > 0 {
		return affectedCounts(a) + "; not every event was examined"
	}
	return affectedCounts(a)
}

// tenantsOf returns the tenants of all certificates.
func tenantsOf(a *affected.Answer) map[string]bool {
	all := map[string]bool{}
	for i := range a.Certificates {
		all[a.Certificates[i].TenantID] = true
	}
	return all
}

// exportText asks for the proofs that show the unknown values.
func exportText(a *affected.Answer, several, full bool) answer.Text {
	most := 3
	if full {
		most = answer.MostItems
	}
	var names []answer.Span
	for _, s := range a.Export {
		names = append(names, answer.Span{Text: subjectText(s, several).String()})
	}
	return answer.Say("Unknown: certificate and quorum of ", safetext.Count(len(a.Export), "transaction"),
		". Export the proofs, ingest them and ask again: ", answer.NameList(names, most), ".")
}

// subjectText names a transaction, with its tenant if there are several.
func subjectText(s affected.Subject, several bool) answer.Text {
	if several {
		return answer.Say(answer.Name(s.TransactionID), " of ", answer.Name(s.TenantID))
	}
	return answer.Say(answer.Name(s.TransactionID))
}

// affectedPairs name the incident and the doubtful events.
func affectedPairs(a *affected.Answer, full bool) answer.Pairs {
	most := 2
	if full {
		most = answer.MostItems
	}
	var ranges []string
	shown, more := answer.Cut(a.Ranges, most)
	for _, r := range shown {
		switch {
		case r.First == 0:
			ranges = append(ranges, "what "+safetext.Quote(r.LogID)+" does not contain")
		case r.ToEnd:
			ranges = append(ranges, r.String()+", to the end of the log")
		default:
			ranges = append(ranges, r.String())
		}
	}
	if more > 0 {
		ranges = append(ranges, fmt.Sprintf("and %d more", more))
	}
	after, by := "", answer.Text{}
	if w := a.After; w != nil {
		after = fmt.Sprintf("event %d, which others named at %s (%s)", w.Sequence, form.Clock(w.At), w.By)
	}
	if a.Incident != "" {
		by = answer.Say(answer.Name(a.Incident), ": ", answer.Sentence(a.Summary))
	}
	return answer.Pairs{answer.Value("reached by", by), {Label: "range", Value: answer.Lines(ranges)},
		answer.Value("after", after)}
}

// unknownWord returns the word for a value that is unknown, or absent without a certificate.
func unknownWord(c *affected.Certificate) string {
	if c.Status == status.NotIssued {
		return "none"
	}
	return string(status.Unknown)
}

// affectedTable is a table of as many certificates as a screen can hold.
func affectedTable(all []affected.Certificate, several bool) answer.Table {
	const widest = 28 // of the first name, so that a row of usual names fits
	shown, more := answer.Cut(all, answer.ScreenLines)
	t := answer.Table{Columns: answer.Columns("Transaction", "name", "Quorum", "", "Status", "answer", "Names", "",
		"Until", ""), Left: leftOut(more, "certificates", "--full")}
	for i := range shown {
		one := &shown[i]
		names := answer.Say(unknownWord(one))
		if len(one.Names) > 0 {
			names = answer.Say(answer.Name(columns.Cut(one.Names[0], widest)))
		}
		if more := len(one.Names) - 1; more > 0 {
			names = answer.Say(names, fmt.Sprintf(" (+%d)", more))
		}
		until, _, _ := strings.Cut(cmp.Or(one.NotAfter, unknownWord(one)), "T")
		t.Rows = append(t.Rows, answer.Row(subjectText(one.Subject, several), quorumWords[one.WithoutQuorum],
			string(one.Status), names, until))
	}
	return t
}

// affectedCard is everything that is known of one certificate.
func affectedCard(c *affected.Certificate) answer.Card {
	quorum := []string{quorumWords[c.WithoutQuorum], fmt.Sprintf("%s by others, and no proof says how many it requires",
		safetext.Count(c.OtherApprovals, "approval"))}
	if c.RequiredApprovals > 0 {
		quorum = []string{quorumWords[c.WithoutQuorum],
			fmt.Sprintf("%s by others, of %d required", safetext.Count(c.OtherApprovals, "approval"), c.RequiredApprovals),
			fmt.Sprintf("%s by others, of %d required", safetext.Count(c.OtherWitnesses, "receipt"), c.RequiredWitnesses)}
	}
	said, valid := string(c.Status), unknownWord(c)
	if c.AsOf != "" {
		said += ", as of " + c.AsOf
	}
	if c.NotBefore != "" {
		valid = c.NotBefore + " to " + c.NotAfter
	}
	names := answer.NameList(c.Names, answer.MostItems)
	if len(c.Names) == 0 {
		names = answer.Say(unknownWord(c))
	}
	return answer.Card{Class: "log", Heading: answer.Say(answer.Name(c.TransactionID), ": ", said),
		Blocks: []answer.Block{answer.Pairs{answer.Value("tenant", answer.Name(c.TenantID)),
			{Label: "quorum", Value: answer.Lines(quorum)},
			answer.Value("serial", answer.Code(cmp.Or(c.Serial, unknownWord(c)))),
			answer.Value("names", names), answer.Value("valid", valid)}}}
}

var affectedHeader = []string{"serial", "names", "not_before", "not_after", "status", "as_of", "tenant_id",
	"transaction_id", "without_quorum"}

// AffectedCSV writes one row of each certificate, for a list of certificates to revoke.
func AffectedCSV(w io.Writer, a *affected.Answer) error {
	out, err := answer.NewCSV(w, affectedHeader)
	if err != nil {
		return err
	}
	for i := range a.Certificates {
		c := &a.Certificates[i]
		or := unknownWord(c)
		if err := out.Add(cmp.Or(c.Serial, or), cmp.Or(strings.Join(c.Names, " "), or), cmp.Or(c.NotBefore, or),
			cmp.Or(c.NotAfter, or), string(c.Status), c.AsOf, c.TenantID, c.TransactionID, string(c.WithoutQuorum)); err != nil {
			return err
		}
	}
	return out.Close()
}
