package otlp

import (
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	collogs "go.opentelemetry.io/proto/slim/otlp/collector/logs/v1"
	"google.golang.org/protobuf/proto"

	"github.com/svc-edge/svc-verify/harness/seal"
)

// record is the log record of one event.
type record struct {
	line       []byte // the whole event in canonical form
	eventType  string
	occurredAt time.Time
}

// encodeRequest writes an ExportLogsServiceRequest, whose only field has the number of that
// in LogsData. The body of each log record is the event's line as a string, unchanged (SPEC
// 9.1). The same records are the same bytes.
func encodeRequest(tenantID, nodeID string, records []record) ([]byte, error) {
	logs := plog.NewLogs()
	all := logs.ResourceLogs().AppendEmpty()
	attributes := all.Resource().Attributes()
	attributes.PutStr("service.name", "svc-edge-node")
	attributes.PutStr("service.namespace", tenantID)
	attributes.PutStr("service.instance.id", nodeID)
	scope := all.ScopeLogs().AppendEmpty()
	scope.Scope().SetName("svc-edge/audit")
	for _, r := range records {
		made, at := scope.LogRecords().AppendEmpty(), pcommon.NewTimestampFromTime(r.occurredAt)
		made.SetTimestamp(at)
		made.SetObservedTimestamp(at) // the journal saw the event when it happened
		made.SetSeverityNumber(plog.SeverityNumberInfo)
		made.SetEventName(r.eventType)
		made.Body().SetStr(string(r.line))
	}
	return (&plog.ProtoMarshaler{}).MarshalLogs(logs)
}

// decodeResponse reads an ExportLogsServiceResponse, and returns its part about rejected records,
// nil if it has none. The caller bounds the length.
func decodeResponse(b []byte) (*collogs.ExportLogsPartialSuccess, error) {
	var answer collogs.ExportLogsServiceResponse
	if proto.Unmarshal(b, &answer) != nil {
		return nil, errors.New("the body is no ExportLogsServiceResponse")
	}
	return answer.GetPartialSuccess(), nil
}

// Limits of a batch. One event may have as many bytes (SPEC 1.6), so that each fits.
const (
	maxBatchEvents = 64
	maxBatchBytes  = 1 << 20 // of the events
)

// batch is a run of the journal, SPEC 9.2.
type batch struct {
	id          string
	first, last uint64
	head        seal.Object // the event at last
	records     []record
}

// newBatch makes a batch of the first of these lines, which follow a sequence of a log: as
// many as fit, and at least one.
func newBatch(logID string, after uint64, lines [][]byte) (*batch, error) {
	b := &batch{first: after + 1, last: after}
	var hashes []seal.Hash
	size := 0
	for _, line := range lines {
		if size += len(line); size > maxBatchBytes && len(b.records) > 0 {
			break
		}
		hash, err := b.add(logID, line)
		if err != nil {
			return nil, fmt.Errorf("the journal, event %d: %w", b.last+1, err)
		}
		hashes = append(hashes, hash)
	}
	b.id = seal.BatchID(logID, hashes)
	return b, nil
}

// add adds the next event, and returns its hash.
func (b *batch) add(logID string, line []byte) (hash seal.Hash, err error) {
	event, err := seal.Parse(line)
	if err != nil {
		return hash, err
	}
	body := seal.Member(event, "body")
	if id, n := seal.Text(body, "log_id"), seal.Integer(body, "sequence"); id != logID ||
		n != int64(b.last+1) { //nolint:gosec // below 2^53
		return hash, fmt.Errorf("found event %d of %q", n, id)
	}
	at, err := seal.ParseTime(seal.Text(body, "occurred_at"))
	if err != nil {
		return hash, err
	}
	b.head = event
	b.last++
	b.records = append(b.records, record{line, seal.Text(body, "type"), at})
	return seal.ParseHash(seal.Text(event, "hash"))
}
