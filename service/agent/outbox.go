package agent

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/durable"
	"github.com/svc-edge/svc-verify/service/httpd"
)

// Limits of one call that hands results over.
const (
	maxResults      = 256
	maxResultsBytes = httpd.MaxRequest - 64<<10 // the list itself needs little
)

// outbox is the results that the cloud has not taken yet, in order.
type outbox struct {
	*core
	waiting []waiting
	last    int64 // number of the newest result
}

type waiting struct {
	number int64
	result seal.Object
	queued bool // it was counted as queued after a transport failure
}

func outboxID(number int64) string { return fmt.Sprintf("%016d", number) }

func (o *outbox) restore() error {
	return o.store.Each(kindOutbox, "", func(e durable.Entry) error {
		if _, err := fmt.Sscanf(e.ID, "%d", &o.last); err != nil {
			return err
		}
		o.waiting = append(o.waiting, waiting{number: o.last, result: e.Document})
		return nil
	})
}

// put adds a result to the outbox, within a decision.
func (o *outbox) put(tx *durable.Tx, result seal.Object) error {
	o.last++
	o.waiting = append(o.waiting, waiting{number: o.last, result: result})
	return tx.Put(kindOutbox, outboxID(o.last), result)
}

// holds reports whether a result is waiting, within a decision.
func (o *outbox) holds(result seal.Object) bool {
	text := string(seal.Canonical(result))
	for _, w := range o.waiting {
		if string(seal.Canonical(w.result)) == text {
			return true
		}
	}
	return false
}

// batch is the oldest results that one call can carry.
func (o *outbox) batch() []waiting {
	o.mu.Lock()
	defer o.mu.Unlock()
	size := 0
	for i, w := range o.waiting {
		size += len(seal.Canonical(w.result)) + 1
		if i == maxResults || i > 0 && size > maxResultsBytes {
			return append([]waiting{}, o.waiting[:i]...)
		}
	}
	return append([]waiting{}, o.waiting...)
}

// handOver gives the cloud all results that wait.
func (o *outbox) handOver(ctx context.Context) error {
	for {
		batch := o.batch()
		if len(batch) == 0 {
			return nil
		}
		if err := o.post(ctx, batch); err != nil {
			return err
		}
	}
}

// post hands a batch over. A batch that the cloud refuses as a whole is handed
// over one by one, so that one bad result does not hold the others up.
func (o *outbox) post(ctx context.Context, batch []waiting) error {
	results := make([]seal.Object, len(batch))
	for i, w := range batch {
		results[i] = w.result
	}
	answer, err := o.cloud.Do(ctx, http.MethodPost, o.path("results"), seal.Object{"results": seal.Objects(results)})
	var problem *httpd.Problem
	switch {
	case errors.As(err, &problem) && badRequest(problem) && len(batch) > 1:
		for i := range batch {
			if err := o.post(ctx, batch[i:i+1]); err != nil {
				return err
			}
		}
		return nil
	case errors.As(err, &problem) && badRequest(problem):
		o.logRefused(results[0], problem.Code, problem.Detail)
		return o.sent(batch)
	case err != nil:
		if problem == nil {
			o.countQueued()
		}
		return fmt.Errorf("results: %w", err)
	}
	for _, refused := range seal.ObjectList(answer, "refused") {
		if index := seal.Integer(refused, "index"); index >= 0 && index < int64(len(results)) {
			o.logRefused(results[index], seal.Text(refused, "code"), seal.Text(refused, "detail"))
		}
	}
	o.countIssued(results, seal.Texts(answer, "issued"))
	return o.sent(batch)
}

// countIssued counts the certificates that the signer returned for the node's decisions. An
// answer that is lost may leave one out.
func (o *outbox) countIssued(results []seal.Object, issued []string) {
	for _, result := range results {
		if seal.Text(result, "kind") == "decide" && slices.Contains(issued, seal.Text(result, "transaction_id")) {
			o.metrics.issued.Inc()
		}
	}
}

func (o *outbox) logRefused(result seal.Object, code, detail string) {
	o.log.Warn("the cloud refused a result", "kind", seal.Text(result, "kind"),
		"transaction_id", seal.Text(result, "transaction_id"), "code", fmt.Sprintf("%.64s",
			code), "detail", fmt.Sprintf("%.256s", detail))
}

// badRequest reports whether a problem will be there again for the same results.
func badRequest(p *httpd.Problem) bool {
	return p.Status == http.StatusBadRequest || p.Status == http.StatusRequestEntityTooLarge
}

// sent removes the oldest results, which are the batch, from the outbox.
func (o *outbox) sent(batch []waiting) error {
	last := batch[len(batch)-1].number
	return o.update(func(tx *durable.Tx) error {
		o.waiting = o.waiting[len(batch):]
		return tx.DeleteThrough(kindOutbox, outboxID(last))
	})
}

// countQueued counts the approved transactions that wait after a transport
// failure, each once.
func (o *outbox) countQueued() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range o.waiting {
		w := &o.waiting[i]
		if approval := seal.Member(seal.Member(w.result, "approval"), "statement"); !w.queued &&
			seal.Text(approval, "decision") == "allow" {
			w.queued = true
			o.metrics.outboxQueued.Inc()
		}
	}
}

// offer puts a result in the outbox, unless it waits there already.
func (o *outbox) offer(tx *durable.Tx, result seal.Object) error {
	if o.holds(result) {
		return nil
	}
	return o.put(tx, result)
}

// finish keeps the result of a piece of work and puts it in the outbox.
func (o *outbox) finish(tx *durable.Tx, transaction, kind string, result seal.Object) error {
	if err := tx.Put(kindAnswer, transaction+"/"+kind, result); err != nil {
		return err
	}
	return o.put(tx, result)
}
