package bag

import (
	"io"
	"iter"
	"maps"
	"slices"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/outcome"
)

// Report returns the result as the value that report forms are made from. Its items
// are the files of the payload, and all other names that something is wrong with.
func (r *Result) Report() *outcome.Report {
	run := outcome.Run{Command: "svc-verify archive verify", Verdict: r.Verdict, NotExamined: r.NotExamined,
		Counts: []outcome.Count{
			{What: "payload files", N: r.Payload.Files},
			{What: "octets", N: r.Payload.Octets},
			{What: "intact", N: r.Payload.Intact},
			{What: "tag files compared", N: r.TagFiles},
			{What: "findings", N: int64(len(r.Findings)) + r.MoreFindings},
		}}
	wrong := map[string][]outcome.Problem{}
	for i := range r.all {
		f := &r.all[i]
		p := outcome.Problem{Code: f.Code, Class: ClassOf(f), Message: f.Message}
		if f.Path == "" {
			run.Problems = append(run.Problems, p)
			continue
		}
		wrong[f.Path] = append(wrong[f.Path], p)
	}
	if e := r.Evidence; e != nil {
		run.TrustSHA256 = e.TrustSHA256
		run.Counts, run.Problems = append(run.Counts, e.Statuses.Counts()...), append(e.KeyProblem(), run.Problems...)
		for _, o := range e.all {
			wrong[o.Name] = append(wrong[o.Name],
				outcome.Problem{Code: o.Code, Class: o.Verdict, Path: o.Pointer, Message: o.Reason})
		}
	}
	return &outcome.Report{Run: run, Lines: r.WriteLines,
		Items: func() iter.Seq2[outcome.Item, error] { return r.items(wrong) }}
}

// WriteLines writes every finding as a line of JSON. The list in the result has a limit;
// the lines have none.
func (r *Result) WriteLines(w io.Writer) error {
	for i := range r.all {
		if err := answer.JSONLine(w, &r.all[i]); err != nil {
			return err
		}
	}
	return nil
}

// items yields all names, in ascending order.
func (r *Result) items(wrong map[string][]outcome.Problem) iter.Seq2[outcome.Item, error] {
	return func(yield func(outcome.Item, error) bool) {
		names := slices.AppendSeq(slices.Clone(r.files), maps.Keys(wrong))
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			item := outcome.Item{Name: name, Place: outcome.Place{File: r.place, Entry: name}, Class: outcome.Verified,
				Problems: wrong[name]}
			item.Class = item.Verdict()
			if e := r.Evidence; e != nil && e.facts[name] != nil {
				item.Proof, item.About = e.facts[name].Say()
			}
			if !yield(item, nil) {
				return
			}
		}
	}
}
