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
	maxResultsBytes = httpd.MaxRequest - 64<<10 // what the list itself needs is small
)

// outbox is the results that the cloud has not taken yet, in order.
type outbox struct {
	waiting []waiting
	last    int64 // number of the newest result
}

type waiting struct {
	number int64
	result seal.Object
	queued bool // it was counted as queued after a transport failure
}

func outboxID(number int64) string { return fmt.Sprintf("%016d", number) }

func (a *Agent) restoreOutbox() error {
	return a.each(kindOutbox, func(e durable.Entry) error {
		if _, err := fmt.Sscanf(e.ID, "%d", &a.outbox.last); err != nil {
			return fmt.Errorf("the stored %s %q: %w", kindOutbox, e.ID, err)
		}
		a.outbox.waiting = append(a.outbox.waiting, waiting{number: a.outbox.last, result: e.Document})
		return nil
	})
}

// put adds a result to the outbox, within a decision.
func (a *Agent) put(tx *durable.Tx, result seal.Object) error {
	a.outbox.last++
	a.outbox.waiting = append(a.outbox.waiting, waiting{number: a.outbox.last, result: result})
	return tx.Put(kindOutbox, outboxID(a.outbox.last), result)
}

// holds reports whether a result is waiting, within a decision.
func (a *Agent) holds(result seal.Object) bool {
	text := string(seal.Canonical(result))
	for _, w := range a.outbox.waiting {
		if string(seal.Canonical(w.result)) == text {
			return true
		}
	}
	return false
}

// batch is the oldest results that one call can carry.
func (a *Agent) batch() []waiting {
	a.mu.Lock()
	defer a.mu.Unlock()
	size := 0
	for i, w := range a.outbox.waiting {
		size += len(seal.Canonical(w.result)) + 1
		if i == maxResults || i > 0 && size > maxResultsBytes {
			return append([]waiting{}, a.outbox.waiting[:i]...)
		}
	}
	return append([]waiting{}, a.outbox.waiting...)
}

// handOver gives the cloud all results that wait.
func (a *Agent) handOver(ctx context.Context) error {
	for {
		batch := a.batch()
		if len(batch) == 0 {
			return nil
		}
		if err := a.post(ctx, batch); err != nil {
			return err
		}
	}
}

// post hands a batch over. A batch that the cloud refuses as a whole is handed
// over one by one, so that one bad result does not hold the others up.
func (a *Agent) post(ctx context.Context, batch []waiting) error {
	results := make([]seal.Object, len(batch))
	for i, w := range batch {
		results[i] = w.result
	}
	answer, err := a.cloud.Do(ctx, http.MethodPost, a.path("results"), seal.Object{"results": seal.Objects(results)})
	var problem *httpd.Problem
	switch {
	case errors.As(err, &problem) && badRequest(problem) && len(batch) > 1:
		return a.postEach(ctx, batch)
	case errors.As(err, &problem) && badRequest(problem):
		a.logRefused(results[0], problem.Code, problem.Detail)
		return a.sent(batch)
	case err != nil:
		if problem == nil {
			a.countQueued()
		}
		return fmt.Errorf("results: %w", err)
	}
	for _, entry := range seal.List(answer, "refused") {
		o, _ := entry.(seal.Object)
		if index := seal.Integer(o, "index"); index >= 0 && index < int64(len(results)) {
			a.logRefused(results[index], seal.Text(o, "code"), seal.Text(o, "detail"))
		}
	}
	a.countIssued(results, seal.Texts(answer, "issued"))
	return a.sent(batch)
}

// countIssued counts the certificates that the signer returned for what the node
// decided. An answer that is lost may leave one out.
func (a *Agent) countIssued(results []seal.Object, issued []string) {
	for _, result := range results {
		if seal.Text(result, "kind") == "decide" && slices.Contains(issued, seal.Text(result, "transaction_id")) {
			a.metrics.issued.Inc()
		}
	}
}

func (a *Agent) logRefused(result seal.Object, code, detail string) {
	a.log.Warn("the cloud refused a result", "kind", seal.Text(result, "kind"),
		"transaction_id", seal.Text(result, "transaction_id"), "code", fmt.Sprintf("%.64s", code), "detail", fmt.Sprintf("%.256s", detail))
}

// badRequest reports whether a problem will be there again for the same results.
func badRequest(p *httpd.Problem) bool {
	return p.Status == http.StatusBadRequest || p.Status == http.StatusRequestEntityTooLarge
}

func (a *Agent) postEach(ctx context.Context, batch []waiting) error {
	for i := range batch {
		if err := a.post(ctx, batch[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}

// sent removes the oldest results, which are the batch, from the outbox.
func (a *Agent) sent(batch []waiting) error {
	last := batch[len(batch)-1].number
	return a.update(func(tx *durable.Tx) error {
		a.outbox.waiting = a.outbox.waiting[len(batch):]
		return tx.DeleteThrough(kindOutbox, outboxID(last))
	})
}

// countQueued counts the approved transactions that wait after a transport
// failure, each once.
func (a *Agent) countQueued() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := range a.outbox.waiting {
		w := &a.outbox.waiting[i]
		if approval := seal.Member(seal.Member(w.result, "approval"), "statement"); !w.queued && seal.Text(approval, "decision") == "allow" {
			w.queued = true
			a.metrics.outboxQueued.Inc()
		}
	}
}
