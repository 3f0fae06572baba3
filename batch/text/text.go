// Package text shows a batch, and a contradiction, to people.
package text

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/batch"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/verify/text"
)

// everyRecord is where all entries are.
var everyRecord = answer.Rest{Command: "--report jsonl=FILE"}

// Document shows a result: why it is not verified, what was not examined, what is
// wrong, which proofs are revoked, and what was compared. The name of the trust file
// is quoted already.
func Document(r *batch.Result, trust string) (*answer.Doc, error) {
	s := &r.Summary
	d := answer.NewAnswer(s.Verdict, countStatuses(s))
	reason, _, _ := strings.Cut(s.Reason(), "; ") // the findings follow
	if s.Verdict == outcome.Verified {
		reason = "every entry is verified"
	}
	d.Lead = append([]answer.Block{answer.SentencePara(reason)}, text.KeysMissing(s.UnknownKeys)...)
	for _, sentence := range s.NotExamined {
		d.LeftOut = append(d.LeftOut, answer.Say(sentence))
	}
	unexpected, err := unexpectedList(r)
	if err != nil {
		return nil, err
	}
	text.AddFindings(d, s.Findings, everyRecord.Left(0, "findings"), func(f *batch.SetFinding) (finding.Code,
		answer.Block) {
		return f.Code, answer.Para(text.FoundAt(f.Code, "", f.Message))
	})
	text.AddFindings(d, s.Contradictions, everyRecord.Left(s.MoreContradictions, "contradictions"),
		func(c *batch.Contradiction) (finding.Code, answer.Block) {
			return c.Finding.Code, contradictionCard(c, s)
		})
	for _, class := range outcome.Classes() {
		addFailed(d, s, class)
	}
	d.Head = append(d.Head, unexpected...)
	var proofs []text.NamedProof
	for i := range s.Proofs {
		p := text.NamedProof{Name: s.Proofs[i].Name, About: s.Proofs[i].About()}
		if by := s.Proofs[i].SupersededBy; by != "" {
			p.Instead = safetext.Quote(by)
		}
		proofs = append(proofs, p)
	}
	d.Head = append(d.Head, text.NotedProofs(proofs, everyRecord.Left(s.Entries.Verified, "verified"))...)
	d.Head = append(d.Head, batchPairs(s, trust))
	return d, nil
}

// countStatuses counts the entries, and those that are genuine by what they say.
func countStatuses(s *batch.Summary) string {
	numbers := safetext.Count(s.Entries.Seen, "entry")
	separator := ": "
	for _, count := range []struct {
		n    int64
		what string
	}{{s.Entries.Issued, "issued"}, {s.Entries.Revoked, "revoked"}, {s.Entries.Superseded, "superseded"}} {
		if count.n > 0 {
			numbers += fmt.Sprintf("%s%d %s", separator, count.n, count.what)
			separator = ", "
		}
	}
	return numbers
}

// contradictionCard shows two entries that contradict each other. A single contradiction is shown whole.
func contradictionCard(c *batch.Contradiction, s *batch.Summary) answer.Card {
	sentences := c.Finding.Sentences
	if len(s.Contradictions) > 1 {
		sentences, _ = answer.Cut(sentences, 1)
	}
	return answer.Card{Class: "finding", Heading: answer.Say(answer.Code(c.Finding.Code), "  ", answer.Name(c.First),
		" and ",
		answer.Name(c.Second)), Blocks: []answer.Block{answer.Bullets("", sentences)}}
}

// addFailed lists the entries of a class that are not verified.
func addFailed(d *answer.Doc, s *batch.Summary, class outcome.Class) {
	all := slices.Clone(s.NotVerified)
	all = slices.DeleteFunc(all, func(r batch.Record) bool { return r.Verdict != class })
	if len(all) == 0 {
		return
	}
	left := everyRecord.Left(s.Entries.Of(class)-int64(len(all)), string(class))
	text.AddFindings(d, all, left, func(r *batch.Record) (finding.Code, answer.Block) {
		return r.Code, answer.Entry(answer.Say(answer.Strong(string(class), answer.Bad), "  ", answer.Name(r.Name), "  ",
			safetext.Line(r.TransactionID)), text.FoundAt(r.Code, r.Path, r.Reason))
	})
}

// unexpectedList lists the entries that were not asked for.
func unexpectedList(r *batch.Result) (list []answer.Block, err error) {
	all := r.Summary.Entries.Unexpected
	for record, err := range r.Records() {
		if err != nil {
			return nil, err
		}
		if int64(len(list)) == min(all, answer.MostOnScreen) {
			break
		}
		if record.Unexpected {
			list = append(list, answer.Entry(answer.Say("unexpected  ", answer.Name(record.Name))))
		}
	}
	return append(list, everyRecord.Left(all-int64(len(list)), "unexpected")), nil
}

// batchPairs are what the entries were checked against, and how far they were compared.
func batchPairs(s *batch.Summary, trust string) answer.Pairs {
	c := s.Compared
	doubled := ""
	if n := s.Entries.Doubled; n > 0 {
		doubled = safetext.Count(n, "entry") + " with the octets of an earlier one"
	}
	return answer.Pairs{answer.Value("trust file", trust), answer.Value("trust sha256", answer.Code(s.TrustSHA256)),
		answer.Value("status", "asked for: ", cmp.Or(s.Status, "any")), answer.Value("age", s.Freshness),
		answer.Value("doubled", doubled),
		answer.Value("compared", fmt.Sprintf("%d of %s in two or more bundles: %s", c.Shared,
			safetext.Count(c.Sequences, "sequence"), safetext.Count(c.Pairs, "pair"))),
		text.NotProved(s.Limitations), answer.Value("all entries", "--report jsonl=FILE")}
}
