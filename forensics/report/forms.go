package report

import (
	"context"
	"fmt"
	"io"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/forensics/store"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// FormNames returns the names of the forms of a report, the usual one first.
func FormNames() []string { return []string{"markdown", "html", "json", "csv"} }

// Write writes a report of a case in a form. It returns remarks for the user that the form has
// no place for.
func Write(ctx context.Context, w io.Writer, c *store.Case, r *Report, form string) ([]string, error) {
	switch form {
	case "html":
		x, err := exploreWithin(ctx, c, r, usualBounds)
		if err != nil {
			return nil, err
		}
		page := *r
		page.Explorer = x
		return nil, HTML(w, &page)
	case "json":
		return nil, answer.JSON(w, r)
	case "csv":
		return remarkBlocks(r), writeCSV(w, r)
	}
	return nil, Markdown(w, r)
}

// remarkBlocks accompany a form that has only findings: the unknown keys, the verdict, up to where
// each log is complete, and the statements of the proofs.
func remarkBlocks(r *Report) []string {
	var all []string
	if u := r.UnknownKeys; u != nil {
		all = append(all, fmt.Sprintf("%s (%s)", u.Sentence, u.Code))
	}
	all = append(all, fmt.Sprintf("the case is %s", r.Verdict))
	logs, moreLogs := answer.Cut(r.Logs, mostItems)
	for _, l := range logs {
		all = append(all, safetext.Quote(l.LogID)+": "+verdict.Complete(l.CompleteByOthers.Sequence,
			l.CompleteByOwn.Sequence, l.TailByOthers, l.UnanchoredTail))
	}
	shown, moreProofs := answer.Cut(r.Proofs, mostItems)
	for i := range shown {
		all = append(all, safetext.Quote(shown[i].Name)+": "+shown[i].Said())
	}
	if more := moreLogs + moreProofs; more > 0 {
		all = append(all, fmt.Sprintf("%d more logs and proofs: --output json lists all", more))
	}
	return all
}
