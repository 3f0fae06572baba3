package report

import (
	"context"
	"fmt"
	"io"

	"github.com/svc-edge/svc-verify/forensics/casefile"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Form is a form that a report can be written in.
type Form struct {
	Name  string
	Write writeFunc
}

// writeFunc writes a report of a case. It returns remarks for the user: what the
// form has no place for.
type writeFunc func(context.Context, io.Writer, *casefile.Case, *Report) (remarks []string, err error)

// Forms returns all forms, the usual one first. A new form is an entry here and a
// function that writes it.
func Forms() []Form {
	return []Form{
		{"markdown", alone(Markdown)},
		{"html", alone(HTML)},
		{"json", alone(writeJSON)},
		{"csv", func(_ context.Context, w io.Writer, _ *casefile.Case, r *Report) ([]string, error) {
			return remarks(r), writeCSV(w, r)
		}},
		{"timesketch", func(ctx context.Context, w io.Writer, c *casefile.Case, r *Report) ([]string, error) {
			remarks := remarks(r)
			untimed, err := writeTimesketch(ctx, c, r, w)
			if untimed > 0 {
				remarks = append(remarks, fmt.Sprintf("%s without a time, about sources or logs that are not here: "+
					"--output csv lists all", safetext.Count(untimed, "finding")))
			}
			return remarks, err
		}},
	}
}

// alone is the function of a form that has a place for everything.
func alone(write func(io.Writer, *Report) error) writeFunc {
	return func(_ context.Context, w io.Writer, _ *casefile.Case, r *Report) ([]string, error) {
		return nil, write(w, r)
	}
}

// remarks say beside a form that has findings alone which keys are unknown, the verdict,
// up to where each log is complete, and what the proofs say.
func remarks(r *Report) []string {
	var all []string
	if u := r.UnknownKeys; u != nil {
		all = append(all, fmt.Sprintf("%s (%s)", u.Sentence, u.Code))
	}
	all = append(all, fmt.Sprintf("the case is %s", r.Verdict))
	for _, l := range r.Logs[:min(len(r.Logs), mostItems)] {
		all = append(all, safetext.Quote(l.LogID)+": "+verdict.Complete(l.CompleteByOthers.Sequence,
			l.CompleteByOwn.Sequence, l.TailByOthers, l.UnanchoredTail))
	}
	shown := r.Proofs[:min(len(r.Proofs), mostItems)]
	for i := range shown {
		all = append(all, safetext.Quote(shown[i].Name)+": "+shown[i].Said())
	}
	if more := len(r.Logs) + len(r.Proofs) - len(shown) - min(len(r.Logs), mostItems); more > 0 {
		all = append(all, fmt.Sprintf("%d more logs and proofs: --output json lists all", more))
	}
	return all
}

// writeJSON writes a report as one document in printable ASCII.
func writeJSON(w io.Writer, r *Report) error {
	doc, err := safetext.MarshalIndent(r, "")
	if err != nil {
		return err
	}
	_, err = w.Write(append(doc, '\n'))
	return err
}
