package otlp

import "github.com/svc-edge/svc-verify/harness/seal"

// The error codes of an exporter, and what causes each.
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

// Status is how an exporter is doing. The zero Status is that of a node without
// one.
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
