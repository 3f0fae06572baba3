package batch

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
	"github.com/svc-edge/svc-verify/trust"
	"github.com/svc-edge/svc-verify/verify"
	"github.com/svc-edge/svc-verify/verify/text"
)

// everyRecord is where all entries are.
var everyRecord = answer.Rest{Command: "--report jsonl=FILE"}

// Document answers whether the proofs are genuine and meet the request: YES or NO and why, the
// unexamined evidence, the faults, the revoked proofs, and the request.
func Document(r *Result, trustFile string) (*answer.Doc, error) {
	s := &r.Summary
	d := yesOrNo(s.Verdict, countProofs(s))
	for _, sentence := range s.NotExamined {
		d.LeftOut = append(d.LeftOut, answer.Say(sentence))
	}
	one := onlyRecord(s)
	switch {
	case one != nil:
		d.Title = titleOf(one, s)
	case s.Accepted:
		d.Lead = append(d.Lead, answer.Paragraph("Each is genuine, and as requested."))
	case s.WrongEntries() != "": // the findings follow
		d.Lead = append(d.Lead, answer.SentencePara(s.WrongEntries()))
	}
	if s.TrustWithin {
		d.Lead = append(d.Lead, answer.Paragraph(trust.WithinEvidence))
	}
	d.Lead = append(d.Lead, text.KeysMissing(s.UnknownKeys)...)
	if err := addWrong(d, r, trustFile); err != nil {
		return nil, err
	}
	if one != nil {
		d.Head = append(d.Head, recordPairs(one))
	}
	// The limitations of a proof are on the first screen (SPEC 11.3).
	d.Head = append(d.Head, answer.Pairs{answer.Value("asked for", askedText(s.Policy)), answer.Value("trust sha256",
		answer.Code(s.TrustSHA256)), text.NotProved(s.Limitations)})
	d.AddFold("Trust file and comparisons", batchPairs(s, safetext.Quote(trustFile)))
	if s.Entries.Seen > 1 {
		said := text.SaidSection(s.Proofs, everyRecord.Left(s.MoreProofs, "proofs"),
			func(r *Record) (string, string) { return r.Name, r.Said() })
		d.AddFold(said.Heading, said.Blocks...)
	}
	return d, nil
}

// yesOrNo begins an answer: only the verdict verified is a yes.
func yesOrNo[V ~string](verdict V, title string) *answer.Doc {
	word := "no"
	if verdict == V(outcome.Verified) {
		word = "yes"
	}
	return &answer.Doc{Title: title, Verdict: word, Tone: answer.ToneOf(verdict)}
}

// onlyRecord returns the record of a run over one entry, nil if there are more or if something else
// than this entry decides.
func onlyRecord(s *Summary) *Record {
	all := slices.Concat(s.NotVerified, s.Proofs)
	if s.Entries.Seen != 1 || s.Accepted != (all[0].Verdict == outcome.Verified) || len(s.Findings) > 0 {
		return nil
	}
	return &all[0]
}

// titleOf returns the result of one proof.
func titleOf(record *Record, s *Summary) string {
	name, unmet := safetext.Quote(record.Name)+": ", ""
	if record.Proven() {
		unmet = record.About().Unmet(record.Code)
	}
	switch {
	case unmet != "":
		return name + "genuine, but " + unmet
	case record.Proven():
		title := name + "genuine, " + record.Status
		if at := s.Policy.InForceAt; at != "" {
			title += ", in force at " + at
		}
		return title
	}
	return name + wordOf(record.Verdict)
}

// wordOf is a class as people read it.
func wordOf(class outcome.Class) string {
	if class == outcome.NotABundle {
		return "no proof"
	}
	return answer.VerdictWord(class)
}

// recordPairs are the statements of a genuine proof, nothing of another one.
func recordPairs(record *Record) answer.Pairs {
	if !record.Proven() {
		return nil
	}
	return answer.Pairs{
		answer.Value("transaction", answer.Name(record.TransactionID), " of tenant ", answer.Name(record.TenantID)),
		answer.Value("certificate", answer.Code(record.CertificateSerial)),
		answer.Value("names", answer.NameList(record.CertificateNames, answer.MostDetails)),
		answer.Value("valid", record.About().Validity()), answer.Value("revoked", record.RevokedAt),
		answer.Value("as of", record.CheckpointCreated, ", event ", record.CheckpointSequence, ", witnessed by ",
			safetext.Count(record.Witnesses, "node")),
	}
}

// addWrong adds the faults of the set and of each entry, and the revoked proofs.
func addWrong(d *answer.Doc, r *Result, trustFile string) error {
	s := &r.Summary
	unexpected, err := unexpectedList(r)
	if err != nil {
		return err
	}
	text.AddFindings(d, s.Findings, everyRecord.Left(0, "findings"))
	text.AddEntries(d, s.Contradictions, everyRecord.Left(s.MoreContradictions, "contradictions"),
		func(c *Contradiction) (finding.Code, answer.Block) {
			return c.Finding.Code, contradictionCard(c, s)
		})
	for i, kind := range s.Unaccepted() {
		addFailed(d, s, i, kind, trustFile)
	}
	d.Head = append(d.Head, unexpected...)
	if s.Entries.Seen == 1 {
		return nil
	}
	var proofs []text.NamedProof
	for i := range s.Proofs {
		p := text.NamedProof{Name: s.Proofs[i].Name, About: s.Proofs[i].About()}
		if by := s.Proofs[i].SupersededBy; by != "" {
			p.Instead = safetext.Quote(by)
		}
		proofs = append(proofs, p)
	}
	d.Head = append(d.Head, text.NotedProofs(proofs, everyRecord.Left(s.Entries.Verified, "accepted"))...)
	return nil
}

// countProofs counts the entries, and the genuine ones by their status.
func countProofs(s *Summary) string {
	e := s.Entries
	return strings.TrimSuffix(safetext.Count(e.Seen, "entry")+": "+answer.JoinCounts(answer.CountOf(e.Genuine, "genuine"),
		answer.CountOf(e.Issued, "issued"), answer.CountOf(e.Revoked, "revoked"),
		answer.CountOf(e.Superseded, "superseded"), answer.CountOf(e.Doubled, "doubled")), ": ")
}

// contradictionCard shows two entries that contradict each other. A single contradiction is shown whole.
func contradictionCard(c *Contradiction, s *Summary) answer.Card {
	sentences := c.Finding.Sentences
	if len(s.Contradictions) > 1 {
		sentences, _ = answer.Cut(sentences, 1)
	}
	return answer.Card{Class: "finding", Heading: answer.Say(answer.Code(c.Finding.Code), "  ", answer.Name(c.First),
		" and ",
		answer.Name(c.Second)), Blocks: []answer.Block{answer.Bullets("", sentences)}}
}

// addFailed lists the entries of a kind that is not accepted. A reason that the entry above has, too, is not
// repeated.
func addFailed(d *answer.Doc, s *Summary, i int, kind answer.Count, trustFile string) {
	all := slices.Clone(s.NotVerified)
	all = slices.DeleteFunc(all, func(r Record) bool { return r.Kind() != i })
	if len(all) == 0 {
		return
	}
	if first := all[0]; i == 0 && first.File == first.Name && first.File != "-" {
		text.NextProof(d, first.File, trustFile)
	}
	above := ""
	left := everyRecord.Left(kind.N-int64(len(all)), kind.What)
	text.AddEntries(d, all, left, func(r *Record) (finding.Code, answer.Block) {
		found := text.FoundAt(r.Code, r.Path, r.Reason)
		if s.Entries.Seen == 1 {
			return r.Code, answer.Para(found)
		}
		said := found.String()
		if said == above {
			found = nil
		}
		above = said
		return r.Code, answer.Entry(answer.Say(answer.Strong(cmp.Or(r.About().Unmet(r.Code), wordOf(r.Verdict)), answer.Bad),
			"  ", answer.Name(r.Name), "  ", safetext.Line(r.TransactionID)), found)
	})
}

// unexpectedList lists the entries that were not asked for.
func unexpectedList(r *Result) (list []answer.Block, err error) {
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

// batchPairs returns the trust file that the proofs were checked against, and how far they
// were compared.
func batchPairs(s *Summary, trustFile string) answer.Pairs {
	c := s.Compared
	pairs := answer.Pairs{answer.Value("trust file", trustFile)}
	if n := s.Entries.Doubled; n > 0 {
		pairs = append(pairs, answer.Value("doubled", safetext.Count(n, "entry"), " with the octets of an earlier one"))
	}
	if s.Entries.Seen > 1 {
		pairs = append(pairs, answer.Value("compared", fmt.Sprintf("%d of %s in two or more bundles: %s", c.Shared,
			safetext.Count(c.Sequences, "sequence"), safetext.Count(c.Pairs, "pair"))),
			answer.Value("all entries", "--report jsonl=FILE"))
	}
	return pairs
}

// askedText returns the requirements for a genuine proof, and which questions were not asked.
func askedText(p verify.PolicyReport) answer.Text {
	all := answer.Say("status ", cmp.Or(p.Status, "any"))
	for _, subject := range text.AskedSubject(p) {
		all = answer.Say(all, "; ", subject)
	}
	for _, name := range p.DNSNames {
		all = answer.Say(all, "; name dns:", answer.Name(name))
	}
	inForce, age := "at any time", "of any age: an older proof cannot show a later revocation"
	if p.InForceAt != "" {
		inForce = "in force at " + p.InForceAt
	}
	if p.At != "" {
		age = p.Freshness()
	}
	return answer.Say(all, "; ", inForce, "; ", age)
}
