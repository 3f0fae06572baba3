package report

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/forensics/query"
	"github.com/svc-edge/svc-verify/forensics/verdict"
	"github.com/svc-edge/svc-verify/internal/columns"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// The notes below the verdict of a timeline.
const (
	clockNote = "Times are of the logs' own clocks, which their owners set."
	signNote  = " ! is a finding of the newest walk; = is an event that others witnessed, at the time that they name."
)

// clockRemark explains the times and signs of a timeline.
func (t Timeline) clockRemark() answer.Note {
	if t.Result == nil {
		return answer.Remark(clockNote)
	}
	return answer.Remark(clockNote + signNote)
}

// Timeline is a list of rows in the forms for people. It writes the rows of at most Limit events,
// all if Limit is 0.
type Timeline struct {
	Result *verdict.Result // the newest walk, nil without one
	Asked  Asked
	Logs   []string // that are selected
	Limit  int
	Count  func() (int, error) // the number of selected events
}

// Rows yields the rows within the limit. Total is the number of selected events at the end.
func (t Timeline) Rows(all iter.Seq2[query.Row, error], total *int) iter.Seq2[query.Row, error] {
	return func(yield func(query.Row, error) bool) {
		for r, err := range all {
			if r.Kind == query.EventRow {
				*total++
			}
			if err == nil && t.Limit > 0 && *total > t.Limit {
				if *total, err = t.Count(); err == nil {
					return
				}
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// WriteText writes rows for a terminal, one day after the other, and returns the number of
// selected events.
func (t Timeline) WriteText(w io.Writer, all iter.Seq2[query.Row, error], colored bool) (total int, err error) {
	d := withReason(headOf(t.Result, t.Asked.Name), t.Result.Why(), t.Asked)
	d.Head = append(d.Head, t.clockRemark())
	l := NewListing(t.Logs, t.Limit)
	l.several = true
	err = answer.WriteList(w, d, colored, func(yield func(answer.Block, error) bool) {
		var day answer.Verbatim
		notes := 0
		for r, err := range t.Rows(all, &total) {
			if err != nil {
				yield(nil, err)
				return
			}
			if r.Severity == finding.Info {
				notes++
				continue
			}
			date := "without a time"
			if r.OccurredAt != "" {
				date = r.OccurredAt[:len(time.DateOnly)]
			}
			if len(day) > 0 && (day[0] != date || len(day) > mostDayLines) {
				if !yield(day, nil) {
					return
				}
				day = nil
			}
			if len(day) == 0 {
				day = append(day, date)
			}
			day = append(day, l.rowLines(r)...)
		}
		if len(day) == 0 || yield(day, nil) {
			d.Foot = l.end(total, false)
		}
		if notes > 0 {
			d.Foot = append(d.Foot, answer.Paragraph(safetext.Count(notes, "finding"), " of severity info: --output jsonl"))
		}
	})
	return total, err
}

// mostDayLines bounds the lines of a day that are written at once.
const mostDayLines = 1000

// rowLines returns a row in columns. One that is no event has a second line.
func (l Listing) rowLines(r query.Row) []string {
	if r.Kind == query.EventRow {
		return []string{l.line(r.Event)}
	}
	sign, short := "!", cmp.Or(r.Incident, string(r.Code))
	if r.Kind == query.WitnessedRow {
		sign, short = "=", "witnessed"
	} else if r.LastSequence > r.Sequence {
		short += fmt.Sprintf(", to %d", r.LastSequence)
	}
	head := l.headOfSeveral(sign, r.Event) + safetext.Line(short)
	const indent = "       "
	said, rest, _ := strings.Cut(columns.Wrap(safetext.Line(saidBy(r)), answer.Width-len(indent)-1, 0), "\n")
	if rest != "" {
		said += "…"
	}
	return []string{head, indent + said}
}

// saidBy is the text of a row that is no event.
func saidBy(r query.Row) string {
	if r.Kind == query.WitnessedRow {
		var by []string
		for _, kind := range r.By {
			by = append(by, string(kind))
		}
		return "complete up to here, by " + strings.Join(by, ", ")
	}
	return fmt.Sprintf("%s %s: %s", r.Severity, r.Code, r.Message)
}

// WriteHTML writes rows as one page.
func (t Timeline) WriteHTML(w io.Writer, all iter.Seq2[query.Row, error]) (total int, err error) {
	d := headOf(t.Result, t.Asked.Name)
	table := answer.Table{Columns: answer.Columns("Time", "", "Log", "name", "Event", "number", "What", "", "Transaction",
		"name")}
	events := 0
	for r, err := range t.Rows(all, &total) {
		if err != nil {
			return total, err
		}
		what := answer.Say(answer.Name(r.Type))
		switch r.Kind {
		case query.EventRow:
			events++
		case query.FindingRow:
			what = answer.Say(answer.Strong(cmp.Or(r.Incident, string(r.Severity)), answer.ToneOf(r.Severity)), " ", saidBy(r))
		default:
			what = answer.Say(answer.Strong("witnessed", answer.Good), " ", saidBy(r))
		}
		table.Rows = append(table.Rows, []answer.Cell{{answer.Say(r.OccurredAt)}, {answer.Say(answer.Name(r.LogID))},
			{answer.Say(r.Sequence)}, {what}, {answer.Say(answer.Name(r.TransactionID))}})
	}
	table.Left = answer.Rest{Command: "--output jsonl"}.Left(int64(total-events), "events")
	d.AddSections(answer.NewSection("timeline", "Timeline", t.clockRemark(), table))
	return total, answer.HTML(w, d)
}
