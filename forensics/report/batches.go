package report

import (
	"fmt"
	"io"
	"iter"

	"github.com/svc-edge/svc-verify/answer"
	"github.com/svc-edge/svc-verify/forensics/query"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// WriteBatches writes batches one by one, and then the totals, to which it adds them.
func WriteBatches(w io.Writer, all iter.Seq2[query.Batch, error], total *query.BatchTotals) error {
	d := &answer.Doc{}
	return answer.WriteList(w, d, false, func(yield func(answer.Block, error) bool) {
		for b, err := range all {
			if err == nil {
				total.Add(b)
			}
			if !yield(batchCard(b), err) {
				return
			}
		}
		d.Foot = []answer.Block{answer.Pairs{answer.Value("distinct", total.Distinct),
			answer.Value("redelivered", total.Redelivered), answer.Value("conflicting", total.Conflicting),
			answer.Value("incomplete", total.Incomplete), answer.Value("without an id", safetext.Count(total.Absent, "event"))}}
	})
}

// batchCard shows a batch and where its events are.
func batchCard(b query.Batch) answer.Card {
	state := "incomplete: the id does not match the events in the case"
	switch {
	case b.Conflicting:
		state = "conflicting: the id is on more than one content"
	case b.Complete:
		state = "complete: the id matches the events"
	}
	item := answer.Item{Text: answer.Say(fmt.Sprintf("%s, %s, %d delivered more than once",
		safetext.Count(b.Events, "event"), safetext.Count(b.Deliveries, "delivery"), b.Redelivered))}
	for _, s := range b.Shares {
		item.Below = append(item.Below, answer.Say(answer.Name(s.LogID), fmt.Sprintf(", %d to %d, %s by ", s.First, s.Last,
			safetext.Count(s.Deliveries, "delivery")), answer.Name(s.Source)))
	}
	return answer.Card{Class: "log", Heading: answer.Say("batch ", answer.Name(b.ID)),
		Blocks: []answer.Block{answer.Paragraph(state), answer.List{item}}}
}
