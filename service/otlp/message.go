package otlp

import (
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/svc-edge/svc-verify/harness/seal"
)

// Field numbers of opentelemetry/proto, of the messages that are written here.
const (
	requestResourceLogs = 1

	resourceLogsResource  = 1
	resourceLogsScopeLogs = 2

	resourceAttributes = 1

	keyValueKey   = 1
	keyValueValue = 2

	scopeLogsScope   = 1
	scopeLogsRecords = 2

	scopeName = 1

	recordTime         = 1
	recordSeverity     = 2
	recordBody         = 5
	recordObservedTime = 11
	recordEventName    = 12

	anyValueString = 1
)

// severityInfo is SEVERITY_NUMBER_INFO.
const severityInfo = 9

// record is the log record of one event.
type record struct {
	line       []byte // the whole event in canonical form
	eventType  string
	occurredAt time.Time
}

// encodeRequest writes an ExportLogsServiceRequest. The body of each log record
// is the event's line as a string, unchanged (SPEC 9.1). The same records are
// the same bytes.
func encodeRequest(tenantID, nodeID string, records []record) []byte {
	var resource []byte
	for _, a := range [][2]string{{"service.name", "svc-edge-node"}, {"service.namespace", tenantID},
		{"service.instance.id", nodeID}} {
		resource = appendMessage(resource, resourceAttributes, keyValue(a[0], a[1]))
	}
	logs := appendMessage(nil, scopeLogsScope, appendText(nil, scopeName, "svc-edge/audit"))
	for _, r := range records {
		logs = appendMessage(logs, scopeLogsRecords, r.encode())
	}
	all := appendMessage(nil, resourceLogsResource, resource)
	all = appendMessage(all, resourceLogsScopeLogs, logs)
	return appendMessage(nil, requestResourceLogs, all)
}

func (r record) encode() []byte {
	at := uint64(r.occurredAt.UnixNano()) //nolint:gosec // events are not from before 1970
	b := appendTime(nil, recordTime, at)
	b = protowire.AppendTag(b, recordSeverity, protowire.VarintType)
	b = protowire.AppendVarint(b, severityInfo)
	b = appendMessage(b, recordBody, protowire.AppendBytes(protowire.AppendTag(nil, anyValueString,
		protowire.BytesType), r.line))
	// The journal saw the event when it happened.
	b = appendTime(b, recordObservedTime, at)
	return appendText(b, recordEventName, r.eventType)
}

func keyValue(key, value string) []byte {
	return appendMessage(appendText(nil, keyValueKey, key), keyValueValue, appendText(nil, anyValueString, value))
}

func appendMessage(b []byte, field protowire.Number, message []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), message)
}

func appendText(b []byte, field protowire.Number, text string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), text)
}

func appendTime(b []byte, field protowire.Number, nanoseconds uint64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(b, field, protowire.Fixed64Type), nanoseconds)
}

// response is what an ExportLogsServiceResponse says.
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

// partialSuccess takes over a field of an ExportLogsPartialSuccess.
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

// Limits of a batch. One event may have as many octets (SPEC 1.6), so that each
// fits.
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

// newBatch makes a batch of the first of these lines, which are those of a log
// after a sequence: as many as fit, and at least one.
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
