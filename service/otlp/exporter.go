package otlp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"sync"
	"time"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/durable"
	"github.com/svc-edge/svc-verify/service/nodeconfig"
)

// Config is what an exporter works with.
type Config struct {
	Export           *nodeconfig.Export
	TenantID, NodeID string
	// Store is the node's. The exporter reads the journal of it, and keeps two
	// documents there.
	Store *durable.Store
	// Sign makes an envelope of a statement, with the key that the node has now.
	Sign  func(statement seal.Object) seal.Object
	Clock chance.Clock
	Log   *slog.Logger
}

// Exporter exports the journal of one node. Run does the work; the other methods
// may be called at any time by anyone.
type Exporter struct {
	Config
	sender sender
	wake   chan struct{}

	// Only Run and New use these.
	pending *batch // durable, and not yet taken; nil if there is none

	mu     sync.Mutex
	status Status
}

// New returns an exporter that goes on where the last one stopped. It fails if
// what the store says of that contradicts the journal.
func New(c Config) (*Exporter, error) {
	endpoint, err := url.Parse(c.Export.Endpoint)
	if err != nil {
		return nil, fmt.Errorf("otlp: the endpoint: %w", err)
	}
	e := &Exporter{Config: c, sender: sender{export: c.Export}, wake: make(chan struct{}, 1)}
	e.status = Status{Enabled: true, ExporterID: c.Export.ExporterID, EndpointHost: endpoint.Hostname()}
	if err := e.restore(); err != nil {
		return nil, fmt.Errorf("otlp: %w", err)
	}
	return e, nil
}

// Wake tells the exporter that the journal has grown.
func (e *Exporter) Wake() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// Status is how the exporter is doing.
func (e *Exporter) Status() Status {
	head, err := e.Store.Sequence()
	e.mu.Lock()
	defer e.mu.Unlock()
	// The head was read first, so that it may be behind by now.
	if err == nil && head > e.status.SourceHead {
		e.status.SourceHead = head
	}
	return e.status
}

// Run exports until the context ends, and then returns nil. It fails if the
// journal cannot be read or contradicts itself: then the node must end.
func (e *Exporter) Run(ctx context.Context) error {
	defer e.sender.close()
	for ctx.Err() == nil {
		found, err := e.step(ctx)
		var f *failure
		switch {
		case ctx.Err() != nil: // and that may be why it failed
		case errors.As(err, &f):
			e.failed(f)
			// A journal that grows is no reason to try sooner.
			e.rest(ctx, nil)
		case err != nil:
			return fmt.Errorf("otlp: %w", err)
		case !found:
			e.rest(ctx, e.wake)
		}
	}
	return nil
}

// rest waits for the poll interval, or until it is woken.
func (e *Exporter) rest(ctx context.Context, wake <-chan struct{}) {
	timer := time.NewTimer(e.Export.PollInterval)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-wake:
	case <-ctx.Done():
	}
}

// step exports one batch, and reports whether there was one.
func (e *Exporter) step(ctx context.Context) (bool, error) {
	b, err := e.next()
	if b == nil || err != nil {
		return false, err
	}
	request := encodeRequest(e.TenantID, e.NodeID, b.records)
	said, err := e.sender.send(ctx, e.Clock.Next(), b.id, request)
	if err != nil {
		return true, err
	}
	if said != "" {
		e.Log.Warn("the collector took a batch with a remark", "batch_id", b.id, "remark", fmt.Sprintf("%.200q", said))
	}
	if err := e.commit(b); err != nil {
		return true, err
	}
	e.Log.Debug("exported a batch", "batch_id", b.id, "first", b.first, "last", b.last)
	return true, nil
}

func (e *Exporter) failed(f *failure) {
	e.Log.Warn("a batch was not exported", "error_code", f.code, "cause", f.cause.Error())
	e.mu.Lock()
	defer e.mu.Unlock()
	e.status.ErrorCode = f.code
	e.status.Failures++
}

// succeeded notes that the collector took everything up to a sequence.
func (e *Exporter) succeeded(cursor uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.status.ErrorCode = ""
	e.status.Cursor = cursor
	e.status.SourceHead = max(e.status.SourceHead, cursor)
	e.status.Successes++
}
