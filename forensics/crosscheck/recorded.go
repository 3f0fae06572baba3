package crosscheck

import (
	"context"
	"iter"
	"slices"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/walk"
	"github.com/svc-edge/svc-verify/trust"
)

// RecordEvent is a copy of an event that records a document (SPEC 4.4).
type RecordEvent struct {
	facts.Event
	Signed bool       // it gives its own hash, under a signature by a pinned key of its log's owner
	Digest chain.Hash // of the document; zero unless Signed
	Node   string     // of an approval.recorded; "" unless Signed
}

// ReadRecords yields the copies of the events of a log that have one of the types, which close
// their data (SPEC 4.4), ascending by sequence. It omits the transactions that wants does not
// select; a nil wants selects all. The pointer is valid until the next one, and nil with an
// error.
func ReadRecords(ctx context.Context, in evidence.Reader, root *trust.Root, log facts.Log, types []string,
	wants func(transactionID string) bool) iter.Seq2[*RecordEvent, error] {
	return evidence.Stream(func(yield func(*RecordEvent) error) error {
		r := recorder{verifier: &verifier{root: root, judge: walk.NewJudge(root)}, log: log, in: in}
		var ahead []evidence.Typed
		for e, err := range in.Chosen(ctx, log, evidence.Choice{Types: types}) {
			if err != nil {
				return err
			}
			if wants != nil && !wants(e.TransactionID) {
				continue
			}
			if ahead = append(ahead, *e); len(ahead) < mostAhead {
				continue
			}
			if err := r.yieldEvents(ctx, ahead, yield); err != nil {
				return err
			}
			ahead = ahead[:0]
		}
		return r.yieldEvents(ctx, ahead, yield)
	})
}

// recorder reads events of one log, some at a time.
type recorder struct {
	*verifier
	log facts.Log
	in  evidence.Reader

	// Memory of the events that are read together.
	valid  []bool
	all    []RecordEvent
	signed []evidence.Typed
	at     []int
}

// yieldEvents reads some events and yields them.
func (r *recorder) yieldEvents(ctx context.Context, events []evidence.Typed, yield func(*RecordEvent) error) error {
	err := r.readEvents(ctx, events)
	for i := range r.all {
		if err == nil {
			err = yield(&r.all[i])
		}
	}
	return err
}

// readEvents judges events, and reads the data of those that their owner signed.
func (r *recorder) readEvents(ctx context.Context, events []evidence.Typed) error {
	r.valid = slices.Grow(r.valid[:0], len(events))[:len(events)]
	if err := r.judgeEvents(r.log, events, r.valid); err != nil {
		return err
	}
	r.all, r.signed, r.at = r.all[:0], r.signed[:0], r.at[:0]
	for i := range events {
		r.all = append(r.all, RecordEvent{Event: events[i].Event, Signed: r.valid[i]})
		if r.valid[i] {
			r.signed, r.at = append(r.signed, events[i]), append(r.at, i)
		}
	}
	return r.in.Said(ctx, r.log, r.signed, func(i int, said *evidence.Said) error {
		r.all[r.at[i]].Digest, r.all[r.at[i]].Node = said.Digest, said.Node
		return nil
	})
}
