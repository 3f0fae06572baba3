package report

import (
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/forensics/query"
	"github.com/svc-edge/svc-verify/internal/columns"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Listing is a list of events in the columns of a terminal: one log below its name, and
// several below their date.
type Listing struct {
	limit   int
	several bool // logs
	column  int  // width of the column of logs, if there are several
}

// mostName is how wide the column of logs may be.
const mostName = 20

// NewListing returns the form of a list of events of these logs. It lists at most
// limit events, all if limit is 0.
func NewListing(logs []string, limit int) Listing {
	l := Listing{limit: limit, several: len(logs) > 1}
	for _, log := range logs {
		l.column = max(l.column, min(columns.Width(safetext.Quote(log)), mostName))
	}
	return l
}

// Write writes events and returns how many there are. Where there are more than it lists, it
// asks for their number.
func (l Listing) Write(w io.Writer, all iter.Seq2[query.Event, error], count func() (int, error)) (total int,
	err error) {
	heading, marked := "", false
	for e, err := range all {
		if err != nil {
			return total, err
		}
		if total++; l.limit > 0 && total > l.limit {
			if total, err = count(); err != nil {
				return total, err
			}
			break
		}
		if above := l.heading(e); above != heading {
			if heading = above; total > 1 {
				fmt.Fprintln(w)
			}
			fmt.Fprintln(w, heading)
		}
		marked = marked || e.Copies > 1 || e.Again()
		fmt.Fprintln(w, l.line(e))
	}
	if total > 0 {
		fmt.Fprintln(w)
	}
	return total, answer.WriteText(w, &answer.Doc{Foot: l.end(total, marked)}, false)
}

// end returns the blocks that follow the list.
func (l Listing) end(total int, marked bool) []answer.Block {
	said := answer.Say(safetext.Count(total, "event"))
	switch {
	case total == 0:
		said = answer.Say("no such event")
	case l.limit > 0 && total > l.limit:
		said = answer.Say(fmt.Sprintf("%d of %d events are listed: --limit N or --output json lists more", l.limit, total))
	}
	blocks := []answer.Block{answer.Para(said)}
	if marked {
		blocks = append(blocks, answer.Paragraph(
			"C: copies differ; D: a copy was delivered more than once; see svc-verify show"))
	}
	return blocks
}

// heading is the line above an event and those that follow it.
func (l Listing) heading(e query.Event) string {
	if l.several {
		return e.OccurredAt[:len(time.DateOnly)]
	}
	return columns.Cut(e.LogID, answer.Width)
}

// line returns an event in columns.
func (l Listing) line(e query.Event) string {
	head := fmt.Sprintf("  %-2s %8d  %s  ", copyMark(e), e.Sequence, e.OccurredAt)
	if l.several {
		head = l.headOfSeveral(copyMark(e), e)
	}
	left := answer.Width - columns.Width(head)
	kind := columns.Cut(e.Type, min(left, 23))
	transaction := ""
	if room := left - columns.Width(kind) - 2; e.TransactionID != "" && room > 0 {
		transaction = "  " + columns.Cut(e.TransactionID, room)
	}
	return head + kind + transaction
}

// headOfSeveral is the first columns of a row of several logs, which may have no time.
func (l Listing) headOfSeveral(mark string, e query.Event) string {
	at := e.OccurredAt[min(len(e.OccurredAt), len(time.DateOnly)+len("T")):]
	name := columns.Cut(e.LogID, l.column)
	name += strings.Repeat(" ", l.column-columns.Width(name))
	return fmt.Sprintf("  %-2s %-13s  %s %6d  ", mark, at, name, e.Sequence)
}

// copyMark is the first column of an event.
func copyMark(e query.Event) (mark string) {
	if e.Copies > 1 {
		mark = "C"
	}
	if e.Again() {
		mark += "D"
	}
	return mark
}
