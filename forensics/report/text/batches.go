package text

import (
	"fmt"
	"io"
	"iter"

	"github.com/svc-edge/svc-verify/forensics/query"
	"github.com/svc-edge/svc-verify/internal/columns"
	"github.com/svc-edge/svc-verify/internal/page"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Batches writes batches one by one, and then the totals, to which it adds them.
func Batches(w io.Writer, all iter.Seq2[query.Batch, error], total *query.BatchTotals) error {
	for b, err := range all {
		if err != nil {
			return err
		}
		total.Add(b)
		p := page.New()
		writeBatch(p, b)
		p.WriteByte('\n')
		if _, err := io.WriteString(w, p.String()); err != nil {
			return err
		}
	}
	p := page.New()
	p.Heading("totals")
	p.Pairs(page.Pair{"distinct", fmt.Sprint(total.Distinct)}, page.Pair{"redelivered", fmt.Sprint(total.Redelivered)},
		page.Pair{"conflicting", fmt.Sprint(total.Conflicting)}, page.Pair{"incomplete", fmt.Sprint(total.Incomplete)},
		page.Pair{"without an id", safetext.Count(total.Absent, "event")})
	_, err := io.WriteString(w, p.String())
	return err
}

func writeBatch(p *page.Page, b query.Batch) {
	p.Heading("batch " + columns.Cut(b.ID, 72))
	state := "incomplete: the id does not match the events in the case"
	switch {
	case b.Conflicting:
		state = "conflicting: the id is on more than one content"
	case b.Complete:
		state = "complete: the id matches the events"
	}
	p.Prose(2, state)
	p.Prose(2, fmt.Sprintf("%s, %s, %d delivered more than once",
		safetext.Count(b.Events, "event"), safetext.Count(b.Deliveries, "delivery"), b.Redelivered))
	for _, s := range b.Shares {
		p.Prose(4, fmt.Sprintf("%s, %d to %d, %s by %s", safetext.Quote(s.LogID), s.First, s.Last,
			safetext.Count(s.Deliveries, "delivery"), safetext.Quote(s.Source)))
	}
}
