package otlp

import (
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

// TestRequestIsReadByAnother: the collector's own code reads what is written
// here by hand, and finds the lines unchanged.
func TestRequestIsReadByAnother(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tenantID, node := rapid.String().Draw(t, "tenant"), rapid.String().Draw(t, "node")
		var records []record
		for range rapid.IntRange(0, 5).Draw(t, "records") {
			at := time.Unix(0, rapid.Int64Range(0, 1<<62).Draw(t, "time"))
			records = append(records, record{[]byte(rapid.String().Draw(t, "line")), rapid.String().Draw(t, "type"), at})
		}
		logs := must.Get((&plog.ProtoUnmarshaler{}).UnmarshalLogs(encodeRequest(tenantID, node, records)))(t)
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
		id, err := fleet.BatchID("node/"+nodeID, events[:c.want])
		check.That(t, err == nil && len(b.records) == c.want && b.id == id && b.first == 1 &&
			b.last == uint64(c.want) && b.lastHash == seal.Text(events[c.want-1], "hash"),
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
