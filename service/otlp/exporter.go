package otlp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"sync"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/durable"
	"github.com/svc-edge/svc-verify/service/httpd"
	"github.com/svc-edge/svc-verify/service/nodeconfig"
)

// Config configures an exporter.
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

// New returns an exporter that continues where the last one stopped. It fails if the state in
// the store contradicts the journal.
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

// Wake signals the exporter that the journal has grown.
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
			_ = httpd.Pause(ctx, e.Export.PollInterval, nil)
		case err != nil:
			return fmt.Errorf("otlp: %w", err)
		case !found:
			_ = httpd.Pause(ctx, e.Export.PollInterval, e.wake)
		}
	}
	return nil
}

// step exports one batch, and reports whether there was one.
func (e *Exporter) step(ctx context.Context) (bool, error) {
	b, err := e.next()
	if b == nil || err != nil {
		return false, err
	}
	request, err := encodeRequest(e.TenantID, e.NodeID, b.records)
	if err != nil {
		return false, err
	}
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

// The error codes of an exporter, and their causes.
const (
	// TransportFailed: there was no connection, TLS was refused, the request
	// took too long, the connection was lost, or the answer was a redirect.
	TransportFailed = "otlp_audit_transport_failed"
	// CollectorRejected: the status was another than 200.
	CollectorRejected = "otlp_audit_collector_rejected"
	// PartialSuccess: the status was 200, and some records were rejected.
	PartialSuccess = "otlp_audit_partial_success"
	// ResponseInvalid: the status was 200, and the rest was no answer of a
	// collector.
	ResponseInvalid = "otlp_audit_response_invalid"
	// ClientIdentityExpired: the client certificate is not valid now. Nothing
	// was sent.
	ClientIdentityExpired = "otlp_audit_client_identity_expired"
	// CursorCommitFailed: the batch or the cursor could not be made durable.
	CursorCommitFailed = "otlp_audit_cursor_commit_failed"
)

// Status is how an exporter is doing. A node without an exporter has the zero Status.
type Status struct {
	Enabled      bool
	ErrorCode    string // of the last attempt, "" if it succeeded or there was none
	ExporterID   string
	EndpointHost string // without port
	Cursor       uint64 // the last sequence that the collector took
	SourceHead   uint64 // the newest of the journal
	Successes    uint64 // requests that were taken, since the start
	Failures     uint64 // attempts that were not
}

// Backlog is the number of events that the collector has not taken.
func (s Status) Backlog() uint64 { return s.SourceHead - s.Cursor }

// Health is "healthy" or "degraded".
func (s Status) Health() string {
	if s.ErrorCode != "" {
		return "degraded"
	}
	return "healthy"
}

// Entry is the status as an entry of integrations in /healthz.
func (s Status) Entry() seal.Object {
	entry := seal.Object{"kind": "otlp_audit", "enabled": s.Enabled, "health": s.Health()}
	if !s.Enabled {
		return entry
	}
	if s.ErrorCode != "" {
		entry["error_code"] = s.ErrorCode
	}
	entry["exporter_id"] = s.ExporterID
	entry["endpoint_host"] = s.EndpointHost
	//nolint:gosec // sequences are below 2^53
	for name, n := range map[string]uint64{"cursor": s.Cursor, "source_head": s.SourceHead, "backlog": s.Backlog()} {
		entry[name] = int64(n)
	}
	return entry
}
