package report

import (
	"fmt"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/forensics/crosscheck"
	"github.com/svc-edge/svc-verify/forensics/examine"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/verify"
	"github.com/svc-edge/svc-verify/verify/text"
)

// Crosscheck returns the answer on evidence that was compared.
func Crosscheck(r *examine.Crosschecked, q Asked) *answer.Doc {
	why, reason := verdict.Why(r.Verdict, r.Decides, r.LeftOut), ""
	if why != nil {
		reason = why.Text
	}
	d := withReason(startAnswer(q.Name, reason, r.Verdict, r.LeftOut), why, q)
	d.Head = text.KeysMissing(r.UnknownKeys)
	if r.OtherStores {
		d.Head = append(d.Head, answer.Paragraph(
			"These are not the stores of the case: they do not count for its verdict."))
	}
	if r.Compared == 0 {
		d.Head = append(d.Head, answer.Paragraph(
			"No two pieces of evidence are about the same thing, so nothing was compared."))
	}
	d.Head = append(d.Head, answer.Pairs{answer.Value("trust sha256", answer.Code(r.TrustSHA256))})
	findings := findingsSection(groupFindings(q, worstFirst(r.Findings)))
	d.AddSections(causesSection(q, r.Causes, r.Findings), findings, answer.Section{Blocks: logBlocks(r.Case)},
		bundlesSection(r))
	for _, j := range r.Journals {
		d.AddSections(answer.Section{Heading: "Journal and tenant log: " + safetext.Quote(j.LogID),
			Blocks: []answer.Block{journalPairs(j)}})
	}
	d.AddSections(storesSection(r.Stores), pausesSection(r), unsoundSection(r))
	d.AddSections(presenceSections(r)...)
	var words answer.Pairs
	of := newReport(r.Case)
	for _, l := range of.Logs {
		words = append(words, answer.Value(safetext.Quote(l.LogID), l.Completeness.Sentence))
	}
	d.AddFold("By whose word logs are complete", append(endRemarks(of), words)...)
	return d
}

// bundlesSection shows each bundle and, below it, the answers of the logs.
func bundlesSection(r *examine.Crosschecked) answer.Section {
	s := answer.Section{ID: "bundles", Heading: "Bundles"}
	for _, b := range r.Bundles {
		card := answer.Card{Class: "log", Heading: answer.Say(answerSpan(b.Verdict), "  ", answer.Name(b.Name))}
		if b.Verdict != verify.Verified {
			command := "svc-verify --evidence " + safetext.ShellWord(b.Name) + " --trust TRUST --output text"
			card.Blocks = append(card.Blocks, answer.Paragraph("next: ", answer.Code(command),
				": all checks of the bundle"))
		}
		if b.TransactionID != "" {
			card.Blocks = append(card.Blocks, answer.Pairs{answer.Value("transaction", answer.Name(b.TransactionID)),
				answer.Value("status", answer.Name(b.Status))}, answer.Paragraph(b.Said()))
		}
		t := answer.Table{Columns: answer.Columns("Logs", "answer", "Statement", "", "Whose", "")}
		for _, said := range r.Statements {
			if said.BundleSHA256 == b.SHA256 {
				t.Rows = append(t.Rows, answer.Row(string(said.Answer), said.Kind, whoseText(said)))
			}
		}
		card.Blocks = append(card.Blocks, t)
		s.Blocks = append(s.Blocks, card)
	}
	return s
}

// pausesSection lists the pauses of issuance.
func pausesSection(r *examine.Crosschecked) answer.Section {
	s := answer.Section{Heading: "Pauses of issuance"}
	for _, pause := range r.Pauses {
		s.Blocks = append(s.Blocks, answer.Paragraph(pauseText(pause)))
	}
	if r.FurtherPauses > 0 {
		s.Blocks = append(s.Blocks, answer.Paragraph(safetext.Count(r.FurtherPauses, "further pause")))
	}
	return s
}

// unsoundSection counts the events without a sound copy.
func unsoundSection(r *examine.Crosschecked) answer.Section {
	s := answer.Section{Heading: "Not sound"}
	for _, l := range r.Presence {
		if l.Unsound > 0 {
			s.Blocks = append(s.Blocks, answer.Paragraph(answer.Name(l.LogID), ": ", safetext.Count(l.Unsound, "event"),
				" without a copy that matches its hash: svc-verify walk shows which"))
		}
	}
	return s
}

// whoseText returns whose statement it is and where it is.
func whoseText(s crosscheck.Statement) string {
	text := "the service"
	if s.NodeID != "" {
		text = safetext.Quote(s.NodeID)
	}
	if s.Sequence > 0 {
		text += fmt.Sprintf(", event %d", s.Sequence)
	}
	return text
}

func journalPairs(j crosscheck.Journal) answer.Pairs {
	held := "no event"
	if j.Last > 0 {
		held = fmt.Sprintf("sequences %d to %d, known to be complete up to %d", j.First, j.Last, j.Covered)
	}
	reports := "none"
	if j.Reports > 0 {
		reports = fmt.Sprintf("%d, of %s up to sequence %d: %d match, %d differ", j.Reports,
			safetext.Count(j.Heads, "head"), j.Reported, j.Matched, j.Differing)
	}
	approvals := fmt.Sprintf("%d in both, %d signed only, %d recorded only, %d not compared", j.Both, j.SignedOnly,
		j.RecordedOnly, j.NotCompared)
	return answer.Pairs{answer.Value("journal", held), answer.Value("reports", reports),
		answer.Value("approvals", approvals)}
}

func pauseText(pause crosscheck.Pause) string {
	until := "and not resumed"
	if pause.Resumed > 0 {
		until = fmt.Sprintf("to %d", pause.Resumed)
	}
	return fmt.Sprintf("%s: from event %d %s, %s issued during it", safetext.Quote(pause.LogID), pause.Paused, until,
		safetext.Count(pause.Issued, "certificate"))
}

// presenceSections show which events each store has of each log, if there are several stores.
func presenceSections(r *examine.Crosschecked) []answer.Section {
	if len(r.Stores) < 2 {
		return nil
	}
	var all []answer.Section
	for _, l := range r.Presence {
		holding := holderStores(l)
		if len(holding) < 2 {
			continue // there is nothing to compare
		}
		s := answer.Section{Heading: "Stores: " + safetext.Quote(l.LogID)}
		for _, stretch := range l.Stretches {
			s.Blocks = append(s.Blocks, answer.Paragraph(stretchText(stretch, r.Stores, holding)))
		}
		s.Blocks = append(s.Blocks, leftOut(l.Omitted, "stretches", "--output json"))
		all = append(all, s)
	}
	return all
}

// holderStores are the stores, by number, that hold any of a log. The others do not keep it, and
// are not reported to lack it.
func holderStores(l crosscheck.Log) map[int]bool {
	holding := map[int]bool{}
	for _, s := range l.Stretches {
		for i, state := range s.Stores {
			if state != crosscheck.Absent {
				holding[i] = true
			}
		}
	}
	return holding
}

// stretchText describes the states on a stretch of the stores that hold any of the log.
func stretchText(s crosscheck.Stretch, stores []crosscheck.Store, holding map[int]bool) string {
	var parts []string
	for _, state := range []crosscheck.State{crosscheck.Present, crosscheck.Altered, crosscheck.Differs,
		crosscheck.Lossy, crosscheck.Absent} {
		var names []string
		for i, store := range stores {
			if holding[i] && s.Stores[i] == state {
				names = append(names, safetext.Quote(store.Name))
			}
		}
		if len(names) > 0 {
			parts = append(parts, fmt.Sprintf("%s in %s", state, strings.Join(names, ", ")))
		}
	}
	return fmt.Sprintf("%d to %d: %s", s.First, s.Last, strings.Join(parts, "; "))
}
