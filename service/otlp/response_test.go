package otlp

import (
	"math"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/plog"
	"pgregory.net/rapid"

	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// response is the content of an answer: how many records were rejected, and a message to people.
type response struct {
	rejected int64
	message  string
}

// responses are bodies with their meaning; ok is false for bodies that are no response.
var responses = map[string]struct {
	body string
	want response
	ok   bool
}{
	"empty":                {"", response{}, true},
	"an empty part":        {"\x0a\x00", response{}, true},
	"one rejected":         {"\x0a\x02\x08\x01", response{rejected: 1}, true},
	"a message":            {"\x0a\x03\x12\x01x", response{message: "x"}, true},
	"both":                 {"\x0a\x05\x08\x02\x12\x01x", response{2, "x"}, true},
	"the last counts":      {"\x0a\x04\x08\x01\x08\x02", response{rejected: 2}, true},
	"and taken back":       {"\x0a\x02\x08\x01\x0a\x02\x08\x00", response{}, true},
	"in two parts":         {"\x0a\x02\x08\x01\x0a\x03\x12\x01x", response{1, "x"}, true},
	"the most":             {"\x0a\x0a\x08\xff\xff\xff\xff\xff\xff\xff\xff\x7f", response{rejected: math.MaxInt64}, true},
	"below zero":           {"\x0a\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", response{rejected: -1}, true},
	"a longer spelling":    {"\x0a\x03\x08\x81\x00", response{rejected: 1}, true},
	"another type":         {"\x08\x01", response{}, true},
	"another type inside":  {"\x0a\x05\x0d\x01\x02\x03\x04", response{}, true},
	"a field nobody knows": {"\x12\x03abc\x0a\x02\x08\x01", response{rejected: 1}, true},
	"a group nobody knows": {"\x1b\x08\x01\x1c", response{}, true},

	"cut in the tag":     {"\x0a\x02\x08\x01\x80", response{}, false},
	"cut in the length":  {"\x0a\x80", response{}, false},
	"cut in the part":    {"\x0a\x03\x08\x01", response{}, false},
	"cut inside":         {"\x0a\x01\x08", response{}, false},
	"cut in the message": {"\x0a\x03\x12\x02x", response{}, false},
	"field zero":         {"\x02\x00", response{}, false},
	"a type of none":     {"\x0f\x00", response{}, false},
	"an end of nothing":  {"\x0c", response{}, false},
	"a group of no end":  {"\x1b\x08\x01", response{}, false},
	"a long number":      {"\x0a\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", response{}, false},
	"no UTF-8":           {"\x0a\x03\x12\x01\xff", response{}, false},
	"text":               {"OK", response{}, false},
	"a page":             {"<!doctype html>", response{}, false},
}

func TestResponses(t *testing.T) {
	for name, c := range responses {
		partial, err := decodeResponse([]byte(c.body))
		got := response{partial.GetRejectedLogRecords(), partial.GetErrorMessage()}
		check.That(t, (err == nil) == c.ok && (!c.ok || got == c.want),
			"%s: expected %v, found %v, %v", name, c.want, got, err)
	}
}

// TestRequest: the collector finds the lines of a request unchanged.
func TestRequest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tenantID, node := rapid.String().Draw(t, "tenant"), rapid.String().Draw(t, "node")
		var records []record
		for range rapid.IntRange(0, 5).Draw(t, "records") {
			at := time.Unix(0, rapid.Int64Range(0, 1<<62).Draw(t, "time"))
			records = append(records, record{[]byte(rapid.String().Draw(t, "line")), rapid.String().Draw(t, "type"), at})
		}
		logs := must.Get((&plog.ProtoUnmarshaler{}).UnmarshalLogs(must.Get(encodeRequest(tenantID, node, records))(t)))(t)
		resource := logs.ResourceLogs().At(0)
		for key, want := range map[string]string{"service.name": "svc-edge-node", "service.namespace": tenantID,
			"service.instance.id": node} {
			if got, _ := resource.Resource().Attributes().Get(key); got.Str() != want {
				t.Fatalf("%s: expected %q, found %q", key, want, got.Str())
			}
		}
		scope := resource.ScopeLogs().At(0)
		must.That(t, scope.Scope().Name() == "svc-edge/audit" && scope.LogRecords().Len() == len(records),
			"%d records of %q", scope.LogRecords().Len(), scope.Scope().Name())
		for i, want := range records {
			got := scope.LogRecords().At(i)
			if got.Body().Str() != string(want.line) || got.EventName() != want.eventType ||
				!got.Timestamp().AsTime().Equal(want.occurredAt) ||
				got.ObservedTimestamp() != got.Timestamp() || got.SeverityNumber() != plog.SeverityNumberInfo {
				t.Fatalf("record %d: expected %v, found %v", i, want, got)
			}
		}
	})
}

func linesOf(sizes ...int) (lines [][]byte, events []seal.Object) {
	log := seal.NewLog(tenant, "node/"+nodeID)
	for _, size := range sizes {
		plain := func(n int) seal.Object {
			return seal.Object{"text": strings.Repeat("x", n)}
		}
		entry := seal.Entry{Type: "x", OccurredAt: time.Unix(1772442000, 0), Data: plain(0)}
		// How long an event is without any text, with a sequence of one digit.
		empty := len(seal.Canonical(seal.NewLog(tenant, "node/"+nodeID).Append(entry, nodeKey)))
		entry.Data = plain(size - empty)
		events = append(events, log.Append(entry, nodeKey))
		lines = append(lines, seal.Canonical(events[len(events)-1]))
	}
	return lines, events
}

// TestBatchLimits: a batch has at most 1 MiB of events, and at least one event.
func TestBatchLimits(t *testing.T) {
	const mega = maxBatchBytes
	for name, c := range map[string]struct {
		sizes []int
		want  int
	}{
		"all":              {[]int{1000, 1000, 1000}, 3},
		"just a megabyte":  {[]int{mega / 2, mega/2 - 1000, 1000, 1000}, 3},
		"one byte more":    {[]int{mega / 2, mega/2 - 1000, 1001, 1000}, 2},
		"one large event":  {[]int{mega, 1000}, 1},
		"one that is last": {[]int{1000, mega}, 1},
	} {
		lines, events := linesOf(c.sizes...)
		b := must.Get(newBatch("node/"+nodeID, 0, lines))(t)
		for i, line := range lines {
			must.Equal(t, len(line), c.sizes[i], "the test's event has bytes")
		}
		id := fleet.BatchID("node/"+nodeID, events[:c.want])
		check.That(t, len(b.records) == c.want && b.id == id && b.first == 1 &&
			b.last == uint64(c.want) && seal.Digest(b.head) == seal.Digest(events[c.want-1]),
			"%s: events %d to %d, id %s, want %s", name, b.first, b.last, b.id, id)
	}
}

// TestBatchRefuses: a run has no gap, and is of one log.
func TestBatchRefuses(t *testing.T) {
	lines, _ := linesOf(1000, 1000, 1000)
	for name, c := range map[string]struct {
		log   string
		after uint64
		lines [][]byte
	}{
		"a gap":         {"node/" + nodeID, 0, [][]byte{lines[0], lines[2]}},
		"another start": {"node/" + nodeID, 1, lines},
		"another log":   {"node/mesh-oslo-2", 0, lines},
		"no event":      {"node/" + nodeID, 0, [][]byte{[]byte("{}")}},
		"no document":   {"node/" + nodeID, 0, [][]byte{[]byte("\x00")}},
		"no hash": {"node/" + nodeID, 0,
			[][]byte{[]byte(strings.Replace(string(lines[0]), `"hash":"`, `"hash":"x`, 1))}},
		"no time": {"node/" + nodeID, 0,
			[][]byte{[]byte(strings.Replace(string(lines[0]), `"occurred_at":"2`, `"occurred_at":"x`, 1))}},
	} {
		if b, err := newBatch(c.log, c.after, c.lines); err == nil {
			t.Errorf("%s: events %d to %d", name, b.first, b.last)
		}
	}
	check.Do(t, check.Err(newBatch("node/"+nodeID, 1, lines[1:])))
}
