package agent

import (
	"context"
	"sync"
	"time"

	"github.com/svc-edge/svc-verify/service/adapter"
)

// operation is a call of an adapter that is under way: a check, or a delivery, which may take
// as long as a day. It runs alongside the loop with the cloud. An integration has one at a
// time.
type operation struct {
	delivery *delivery // nil for a check
	cancel   context.CancelCauseFunc
	ended    chan struct{}
}

// operations are those that are under way.
type operations struct {
	*core
	underWay map[string]*operation // by integration
	all      sync.WaitGroup
}

// launch begins an operation of an integration. It returns nil, and does not, if the
// integration has one already or the node ends. The loop is woken if work reports that it has
// news.
func (os *operations) launch(ctx context.Context, id string, d *delivery, work func(context.Context) bool) *operation {
	os.mu.Lock()
	defer os.mu.Unlock()
	if ctx.Err() != nil || os.underWay[id] != nil {
		return nil
	}
	o := &operation{delivery: d, ended: make(chan struct{})}
	ctx, o.cancel = context.WithCancelCause(ctx)
	os.underWay[id] = o
	os.all.Go(func() {
		news := work(ctx)
		os.mu.Lock()
		delete(os.underWay, id)
		os.mu.Unlock()
		o.cancel(nil)
		close(o.ended)
		if news {
			os.Wake()
		}
	})
	return o
}

// checkPatience is how long the loop waits for checks, so that it can report their results at
// once. A store that does not answer keeps nothing else waiting.
const checkPatience = 2 * time.Second

// awaitSignal waits for operations, but not for ever.
func awaitSignal(ctx context.Context, operations []*operation) {
	patience := time.NewTimer(checkPatience)
	defer patience.Stop()
	for _, o := range operations {
		select {
		case <-o.ended:
		case <-patience.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// giveUp cancels the delivery of an integration that is under way, if it is bound to another
// desired state than the current one. The adapter gets the new one when the delivery has come
// to its end.
func (os *operations) giveUp(now adapter.Desired) {
	os.mu.Lock()
	defer os.mu.Unlock()
	if o := os.underWay[now.IntegrationID]; o != nil && o.delivery != nil {
		if err := contradiction(o.delivery.intent.bound, now); err != nil {
			o.cancel(err)
		}
	}
}

// delivers reports whether a transaction has a delivery under way. If it has none, the
// transaction does not change until the loop begins one.
func (os *operations) delivers(transaction string) bool {
	os.mu.Lock()
	defer os.mu.Unlock()
	for _, o := range os.underWay {
		if o.delivery != nil && o.delivery.transaction == transaction {
			return true
		}
	}
	return false
}
