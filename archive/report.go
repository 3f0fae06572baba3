package archive

import (
	"bufio"
	"cmp"
	"io"
	"iter"
	"path/filepath"
	"strings"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/outcome"
)

// WriteLines writes the record of every object that was kept, each as one line of JSON
// in printable ASCII.
func (r *Result) WriteLines(w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<16)
	for _, t := range r.told {
		line, err := r.records.At(int(t.at))
		if err != nil {
			return err
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return out.Flush()
}

// Reason explains in one sentence why an archive is not verified.
func (r *Result) Reason() string {
	c, count := &r.Counts, answer.CountOf
	wrong := answer.JoinCounts(count(c.Classes[Altered], "altered"), count(c.Classes[Missing], "missing"),
		count(c.Rejected-c.Accepted, "rejected"), count(c.Lost, "without the verdict that they had"),
		count(c.Unlike, "replaced by evidence about something else"), count(c.Classes[Unreadable], "unreadable"),
		count(c.Classes[Stale], "stale"), count(c.Inconclusive-c.Tolerated, "inconclusive"),
		count(c.OldContext, "not verified in this context"))
	reason := "of " + safetext.Count(c.Objects, "object") + ", " + cmp.Or(wrong, "none is wrong")
	if len(r.Findings) > 0 {
		reason += "; " + r.Findings[0].Message
	}
	return reason
}

// Report returns the result as the value that report forms are made from. It is valid
// until the result is closed, and has the objects whose records were kept.
func (r *Result) Report() *outcome.Report {
	run := outcome.Run{Command: "svc-verify archive check", Verdict: r.Verdict, NotExamined: r.NotExamined,
		TrustSHA256: r.TrustSHA256, Counts: append(r.Counts.shown(), r.Statuses.Counts()...), Problems: r.KeyProblem()}
	for _, f := range r.Findings {
		run.Problems = append(run.Problems, outcome.Problem{Code: f.Code, Class: outcome.ClassOf(f.Code), Subject: f.Path,
			Message: f.Message})
	}
	return &outcome.Report{Run: run, Items: r.items, Lines: r.WriteLines}
}

// items yields the objects with their faults.
func (r *Result) items() iter.Seq2[outcome.Item, error] {
	return func(yield func(outcome.Item, error) bool) {
		for record, err := range r.Records() {
			if !yield(record.item(r.dir), err) || err != nil {
				return
			}
		}
	}
}

// item returns the record as it is reported.
func (r *Record) item(dir string) outcome.Item {
	item := outcome.Item{Name: r.Path, Class: r.Outcome()}
	if path, ok := object.ParsePath(r.Path); ok {
		item.Place.File = filepath.Join(dir, filepath.FromSlash(path))
	}
	if item.Class != outcome.Verified {
		item.Problems = []outcome.Problem{{Code: r.Code, Class: item.Class, Path: r.Pointer, Message: r.Reason}}
	}
	item.About = append(item.About, outcome.Fact{What: "class", Value: string(r.Class)},
		outcome.Fact{What: "was at", Value: r.From}, outcome.Fact{What: "kind", Value: string(r.Kind)},
		outcome.Fact{What: "unknown keys", Value: strings.Join(r.UnknownKeys, ", ")})
	said, facts := object.Say(r.Proofs, r.MoreProofs, r.Logs, r.MoreLogs)
	item.Proof, item.About = strings.Join(said, "; "), append(item.About, facts...)
	return item
}

// shown returns the counts that reports show: of objects by verdict, and by class.
func (c *Counts) shown() []answer.Count {
	all := []answer.Count{{What: string(outcome.Verified), N: c.Verified},
		{What: string(outcome.Rejected), N: c.Rejected},
		{What: string(outcome.Inconclusive), N: c.Inconclusive}, {What: "without a verdict", N: c.NoVerdict},
		{What: "objects", N: c.Objects}}
	for _, class := range Classes() {
		all = append(all, answer.Count{What: string(class), N: c.Classes[class]})
	}
	return append(all, answer.Count{What: "rejected and accepted", N: c.Accepted},
		answer.Count{What: "inconclusive and accepted", N: c.Tolerated}, answer.Count{What: "read", N: c.Read},
		answer.Count{What: "verdicts used again", N: c.Reused})
}
