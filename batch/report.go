package batch

import (
	"fmt"
	"iter"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/outcome"
)

// Report returns the result as the value that report forms are made from. It is
// valid until the result is closed.
func (r *Result) Report() *outcome.Report {
	s := &r.Summary
	run := outcome.Run{Command: "svc-verify verify", Verdict: s.Verdict, NotExamined: s.NotExamined,
		TrustSHA256: s.TrustSHA256, Counts: s.shownCounts(), Limitations: s.Limitations}
	if u := s.UnknownKeys; u != nil {
		run.Problems = append(run.Problems, outcome.Problem{Code: u.Code, Class: outcome.Inconclusive,
			Message: u.Sentence})
	}
	for _, f := range s.Findings {
		run.Problems = append(run.Problems, outcome.Problem{Code: f.Code, Class: outcome.ClassOf(f.Code), Subject: f.Expected,
			Message: f.Message})
	}
	return &outcome.Report{Run: run, Items: r.allItems, Lines: r.WriteLines}
}

// shownCounts are those that are shown, first the classes.
func (s *Summary) shownCounts() []answer.Count {
	e, count := s.Entries, answer.CountOf
	var all []answer.Count
	for _, class := range outcome.Classes() {
		all = append(all, count(e.Of(class), string(class)))
	}
	return append(all,
		count(e.Seen, "entries"),
		count(e.Genuine, "genuine"),
		count(e.Issued, "issued"),
		count(e.Revoked, "revoked"),
		count(e.Superseded, "superseded"),
		count(e.Contradicted, "contradicted"),
		count(e.Doubled, "doubled"),
		count(e.Unexpected, "unexpected"),
		count(e.LeftOut, "left out"),
		count(s.Compared.Bundles, "bundles compared"),
		count(s.Compared.Shared, "sequences in two or more"),
		count(s.Compared.Pairs, "pairs compared"),
	)
}

// allItems yields the entries with the faults of each.
func (r *Result) allItems() iter.Seq2[outcome.Item, error] {
	return func(yield func(outcome.Item, error) bool) {
		i := uint32(0)
		for record, err := range r.Records() {
			item := record.item()
			if n, ok := r.contradicted(i); ok && err == nil {
				err = r.addContradiction(&item, i, int(n))
			}
			if !yield(item, err) || err != nil {
				return
			}
			i++
		}
	}
}

// addContradiction enters the first contradiction that names an entry.
func (r *Result) addContradiction(item *outcome.Item, i uint32, n int) error {
	line, err := r.found.At(n)
	if err != nil {
		return err
	}
	c, err := r.contradiction(line)
	if err != nil {
		return err
	}
	other := c.First
	if r.original(i) == c.earlier {
		other = c.Second
	}
	item.Problems = append(item.Problems, outcome.Problem{Code: c.Finding.Code, Class: outcome.Rejected,
		Message: fmt.Sprintf("contradicts %s: %s", other, c.Finding.Sentences[0])})
	return nil
}

// item returns the record as it is reported.
func (r *Record) item() outcome.Item {
	item := outcome.Item{Name: r.Name, Place: r.placeOf(), Class: r.Verdict}
	if r.Code != "" {
		item.Problems = []outcome.Problem{{Code: r.Code, Class: r.Verdict, Path: r.Path, Message: r.Reason}}
	}
	if r.Unexpected {
		item.Problems = append(item.Problems, outcome.Problem{Code: SetUnexpected, Class: outcome.Rejected,
			Message: SetUnexpected.Sentence()})
	}
	if r.Proven() {
		about := r.About()
		item.Proof = r.Said()
		item.About = []outcome.Fact{
			{What: "tenant", Value: r.TenantID},
			{What: "transaction", Value: r.TransactionID},
			{What: "status", Value: about.Outcome()},
			{What: "as of", Value: fmt.Sprintf("%s, sequence %d", r.CheckpointCreated, r.CheckpointSequence)},
			{What: "age", Value: about.Freshness},
			{What: "certificate", Value: strings.Join(about.FirstNames(), ", ")},
			{What: "valid", Value: about.Validity()},
			{What: "serial", Value: r.CertificateSerial},
			{What: "superseded by", Value: r.SupersededBy},
		}
	}
	if r.SameAs != "" {
		item.About = append(item.About, outcome.Fact{What: "same octets as", Value: r.SameAs})
	}
	return item
}
