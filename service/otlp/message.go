package otlp

import (
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"google.golang.org/protobuf/encoding/protowire"

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

// response is the content of an ExportLogsServiceResponse.
type response struct {
	rejected int64  // log records that the collector did not take
	message  string // of the collector to people, any text
}

var errNotResponse = errors.New("the body is no ExportLogsServiceResponse")

// decodeResponse reads an ExportLogsServiceResponse as protobuf demands: fields
// that are not known are passed over, of a field that is twice the last one
// counts, and text is UTF-8. The caller bounds the length.
func decodeResponse(b []byte) (r response, err error) {
	return r, eachField(b, func(field protowire.Number, kind protowire.Type, value []byte) error {
		if field != 1 || kind != protowire.BytesType {
			return nil
		}
		partial, _ := protowire.ConsumeBytes(value)
		return eachField(partial, r.partialSuccess)
	})
}

// partialSuccess reads a field of an ExportLogsPartialSuccess.
func (r *response) partialSuccess(field protowire.Number, kind protowire.Type, value []byte) error {
	switch {
	case field == 1 && kind == protowire.VarintType:
		n, _ := protowire.ConsumeVarint(value)
		r.rejected = int64(n) //nolint:gosec // as protobuf writes an int64
	case field == 2 && kind == protowire.BytesType:
		text, _ := protowire.ConsumeString(value)
		if !utf8.ValidString(text) {
			return errNotResponse
		}
		r.message = text
	}
	return nil
}

// eachField calls f with every field of a message. The value is whole.
func eachField(b []byte, f func(protowire.Number, protowire.Type, []byte) error) error {
	for len(b) > 0 {
		field, kind, n := protowire.ConsumeTag(b)
		if n < 0 || field > protowire.MaxValidNumber {
			return errNotResponse
		}
		b = b[n:]
		n = protowire.ConsumeFieldValue(field, kind, b)
		if n < 0 {
			return errNotResponse
		}
		if err := f(field, kind, b[:n]); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
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
	lastHash    string // of the event at last
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
	b.lastHash = seal.Text(event, "hash")
	b.last++
	b.records = append(b.records, record{line, seal.Text(body, "type"), at})
	return seal.ParseHash(b.lastHash)
}
