package otlp

import (
	"time"

	"google.golang.org/protobuf/encoding/protowire"
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
