package otlp

import (
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/schemas"
	"github.com/svc-edge/svc-verify/service/collector"
	"github.com/svc-edge/svc-verify/service/durable"
)

func TestExport(t *testing.T) {
	b := newBench(t)
	b.append(30, 100)
	e, stop := b.run(b.config())
	b.drained(e)
	if s := e.Status(); s.Successes != 5 || s.Failures != 0 || s.Cursor != 30 || s.SourceHead != 30 ||
		s.Health() != "healthy" || s.EndpointHost != "127.0.0.1" || s.ExporterID != exporter || !s.Enabled {
		t.Error(describe(s))
	}
	all := b.deliveries()
	if again := b.checkDeliveries(all); len(all) != 5 || len(all[0].lines) != 7 || len(all[4].lines) != 2 || again != 0 {
		t.Errorf("%d deliveries, %d of them again", len(all), again)
	}
	b.checkCursor(all[4])
	stop()

	// Another exporter continues where this one stopped.
	b.append(1, 10)
	fresh := must.Get(New(b.config()))(b)
	if s := fresh.Status(); s.Cursor != 30 || s.Backlog() != 1 {
		t.Error(describe(s))
	}
	e, _ = b.run(b.config())
	b.drained(e)
	check.Equal(t, b.checkDeliveries(b.deliveries()), 0, "deliveries again")
}

// checkCursor compares the stored cursor with the last delivery.
func (b *bench) checkCursor(last delivery) {
	b.Helper()
	envelope := must.Get(b.store.Get(kindCursor, exporter))(b)
	statement := seal.Member(envelope, "statement")
	if !seal.Signed("svc.export-cursor.v1", seal.Canonical(statement), nodeKey.Public(),
		seal.Text(envelope, "signature")) {
		b.Error("the cursor is not signed by the node")
	}
	check.OK(b, schemas.Conformance("export-cursor", seal.Canonical(statement)), "the cursor")
	event := must.Get(seal.Parse([]byte(last.lines[len(last.lines)-1])))(b)
	if seal.Text(statement, "batch_id") != last.batchID || seal.Integer(statement, "sequence") != int64(last.last) ||
		seal.Text(statement, "event_hash") != seal.Text(event, "hash") {
		b.Errorf("the cursor is %v", statement)
	}
}

// TestWake: an exporter with a long poll interval is woken by the journal.
func TestWake(t *testing.T) {
	b := newBench(t)
	c := b.config()
	c.Export.PollInterval = time.Hour
	e, _ := b.run(c)
	for range 3 {
		b.append(1, 10)
		b.drained(e)
	}
}

// TestRetryKeepsThePollInterval: a journal that grows makes nothing faster while
// the collector is failing.
func TestRetryKeepsThePollInterval(t *testing.T) {
	b := newBench(t)
	must.Do(b, b.collector.SetMode(collector.Reject503))
	c := b.config()
	c.Export.PollInterval = time.Hour
	b.append(1, 10)
	e, stop := b.run(c)
	must.Eventually(b, "a failure", func() bool { return e.Status().Failures == 1 })
	for range 5 {
		b.append(1, 10)
		e.Wake()
	}
	stop() // which ends the rest at once
	check.Equal(t, b.collector.Counts().Requests, 1, "requests")
}

// TestPendingBatchKeepsItsSize: a batch that was written down is sent as it is, even if
// batches are smaller now, or larger.
func TestPendingBatchKeepsItsSize(t *testing.T) {
	b := newBench(t)
	b.append(20, 10)
	must.Do(b, b.collector.SetMode(collector.Lost))
	e, stop := b.run(b.config())
	must.Eventually(b, "a failure", func() bool { return e.Status().Failures > 0 })
	stop()
	must.Do(b, b.collector.SetMode(collector.Accept))
	c := b.config()
	c.Export.BatchSize = 3
	e, _ = b.run(c)
	b.drained(e)
	all := b.deliveries()
	check.That(t, b.checkDeliveries(all) != 0, "nothing was delivered again")
	if last := all[len(all)-1]; len(last.lines) != 1 { // 7, 3, 3, 3, 3, 1
		t.Errorf("the last batch has %d events", len(last.lines))
	}
}

// TestRestoreRefuses: state that contradicts the journal stops the node.
func TestRestoreRefuses(t *testing.T) {
	b := newBench(t)
	b.append(10, 10)
	must.Do(b, b.collector.SetMode(collector.Accept))
	e, stop := b.run(b.config())
	b.drained(e)
	stop()
	cursor, err := b.store.Get(kindCursor, exporter)
	must.Do(b, err)
	change := func(name string, value any) seal.Object {
		statement := seal.CloneObject(seal.Member(cursor, "statement"))
		statement[name] = value
		return sign(statement)
	}
	pending := func(first, last int64, id string) seal.Object {
		return seal.Object{"first": first, "last": last, "batch_id": id}
	}
	for name, c := range map[string]struct {
		kind     string
		document seal.Object
		want     string
	}{
		"another node":      {kindCursor, change("node_id", "mesh-oslo-2"), "mesh-oslo-2"},
		"another tenant":    {kindCursor, change("tenant_id", "acme"), "found mesh-oslo-1 of acme at 10"},
		"beyond the head":   {kindCursor, change("sequence", int64(11)), "expected event 11"},
		"before the first":  {kindCursor, change("sequence", int64(0)), "at 0"},
		"another hash":      {kindCursor, change("event_hash", strings.Repeat("0", 64)), "with hash 000"},
		"pending: a gap":    {kindPending, pending(12, 12, ""), "found 12 to 12"},
		"pending: done":     {kindPending, pending(10, 12, ""), "found 10 to 12"},
		"pending: none":     {kindPending, pending(11, 10, ""), "found 11 to 10"},
		"pending: too many": {kindPending, pending(11, 75, ""), "found 11 to 75"},
		"pending: no event": {kindPending, pending(11, 12, ""), "another in the journal"},
	} {
		must.Do(b, b.store.Update(func(tx *durable.Tx) error { return tx.Put(c.kind, exporter, c.document) }))
		check.Fails(t, check.Err(New(b.config())), c.want, "%s", name)
		must.Do(b, b.store.Update(func(tx *durable.Tx) error {
			if err := tx.Delete(kindPending, exporter); err != nil {
				return err
			}
			return tx.Put(kindCursor, exporter, cursor)
		}))
	}
	check.Do(t, check.Err(New(b.config())))
	b.append(2, 10)
	must.Do(b, b.store.Update(func(tx *durable.Tx) error {
		return tx.Put(kindPending, exporter, pending(11, 12, strings.Repeat("0", 64)))
	}))
	_, err = New(b.config())
	check.That(t, err != nil && strings.Contains(err.Error(), "another in the journal"), "another batch: %v", err)
	// Another exporter begins with the first event.
	c := b.config()
	c.Export.ExporterID = "siem/2"
	e, err = New(c)
	check.That(t, err == nil && e.Status().Cursor == 0, "%v", err)
}

// TestJournalThatContradictsItselfEndsTheNode: it is not exported further.
func TestJournalThatContradictsItselfEndsTheNode(t *testing.T) {
	b := newBench(t)
	foreign := seal.NewLog(tenant, "node/mesh-oslo-2").Append(seal.Entry{Type: "x", OccurredAt: time.Now(),
		Data: seal.Object{}}, nodeKey)
	must.Do(b, b.store.Update(func(tx *durable.Tx) error { return tx.Append(foreign) }))
	e := must.Get(New(b.config()))(b)
	err := e.Run(t.Context())
	check.That(t, err != nil && strings.Contains(err.Error(), "event 1"), "%v", err)
	check.Equal(t, b.collector.Counts().Requests, 0, "requests")
}

func TestEntry(t *testing.T) {
	for name, c := range map[string]struct {
		status Status
		want   string
	}{
		"off": {Status{}, `{"enabled":false,"health":"healthy","kind":"otlp_audit"}`},
		"healthy": {Status{Enabled: true, ExporterID: "siem-1", EndpointHost: "c.example", Cursor: 7,
			SourceHead: 9}, `{"backlog":2,"cursor":7,"enabled":true,"endpoint_host":"c.example","exporter_id":"siem-1",` +
			`"health":"healthy","kind":"otlp_audit","source_head":9}`},
		"failing": {Status{Enabled: true,
			ErrorCode: TransportFailed}, `{"backlog":0,"cursor":0,"enabled":true,"endpoint_host":"",` +
			`"error_code":"otlp_audit_transport_failed","exporter_id":"","health":"degraded","kind":"otlp_audit",` +
			`"source_head":0}`},
	} {
		got := seal.Canonical(c.status.Entry())
		check.That(t, string(got) == c.want, "%s: %s", name, got)
	}
}

// BenchmarkExport exports events in batches of 64, over TLS, to a collector that
// writes each batch to the disk.
func BenchmarkExport(b *testing.B) {
	t := newBench(b)
	for range b.N {
		t.append(64, 500)
	}
	c := t.config()
	c.Export.BatchSize = 64
	b.ResetTimer()
	e, stop := t.run(c)
	t.drained(e)
	stop()
}
