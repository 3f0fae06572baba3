package server_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/server"
)

// labelled waits for a tenant label.
func (b *bench) labelled(want string) {
	b.t.Helper()
	var got any
	must.Eventually(b.t, "the label "+want, func() bool {
		got = b.overview()["label"]
		return got == want
	})
}

func TestLabels(t *testing.T) {
	t.Parallel()
	b := start(t, func(c *server.Config) { c.Poll = 300 * time.Millisecond })
	b.labelled("No Mesh Nodes connected")
	nodes := b.enrolled()
	b.labelled("Degraded · 0/3 nodes healthy")
	first := b.overview()
	b.clock.pass(time.Second)
	second := b.as("operator/bert", "GET", "/api/v1/overview", nil)
	check.That(t, first["operator"] == "ada" && second["operator"] == "bert",
		"asked by %s, then by %s", first["operator"], second["operator"])
	before, after := seal.Text(first, "as_of"), seal.Text(second, "as_of")
	check.That(t, before < after, "as of %s, then as of %s", before, after)
	nodes[0].up()
	b.labelled("Degraded · 1/3 nodes healthy")
	nodes[1].up()
	nodes[2].up()
	b.labelled("Degraded") // every node is healthy, but there is no policy
	b.publish(1)
	b.labelled("trust path healthy")
	nodes[2].set(func() { nodes[2].status = "degraded" })
	must.Eventually(b.t, "a degraded node takes part in the quorum", func() bool {
		o := b.overview()
		return o["label"] == "Degraded · 2/3 nodes healthy" && seal.Integer(seal.Member(o, "quorum"), "healthy") == 3
	})
	b.as(operator, "POST", pauses, seal.Object{"reason": "test"})
	b.labelled("issuance paused")
	b.as(other, "POST", b.asksResume(60), seal.Object{})
	nodes[2].set(func() { nodes[2].status = "ok" })
	b.labelled("trust path healthy")
	nodes[1].down()
	b.labelled("Degraded · 2/3 nodes healthy")
	nodes[1].up()
	b.as(operator, http.MethodPost, nodes[0].path("disablement"), seal.Object{})
	b.labelled("Degraded · 2/3 nodes healthy")
}

// The trust status suffers while no one witnesses.
func TestUnwitnessedIsDegraded(t *testing.T) {
	t.Parallel()
	b, nodes := fleet(t, func(c *server.Config) { c.Poll = 300 * time.Millisecond })
	b.labelled("trust path healthy")
	setDeaf(nodes, true, "witness")
	b.issued("tx-1", "payments-api")
	b.refused("audit_customer_witness_pending", operator, "POST", "/api/v1/transactions/tx-1/evidence",
		seal.Object{"wait_seconds": int64(0)})
	b.labelled("Degraded")
	audit := seal.Member(b.overview(), "audit")
	check.That(t, seal.Integer(seal.Member(audit, "witnesses"), "received") == 0 &&
		seal.Integer(audit, "checkpoint") != 0, "the console shows %s", seal.Canonical(audit))
	setDeaf(nodes, false, "witness")
	b.labelled("trust path healthy")
}

func TestExposure(t *testing.T) {
	b, nodes := fleet(t)
	for id, days := range map[string]int64{"tx-1": 1, "tx-30": 30, "tx-60": 60} {
		o := order(t, id, "store-tls")
		o["lifetime_seconds"] = days * 24 * 3600
		b.as(operator, "POST", "/api/v1/transactions", o)
		b.becomes(id, "issued")
	}
	exposed := func(active, expiring int64) {
		t.Helper()
		health := seal.Member(b.overview(), "trust_health")
		check.That(t, seal.Integer(health, "active_certificates") == active &&
			seal.Integer(health, "expiring_within_30_days") == expiring,
			"expected %d and %d, found %s", active, expiring, seal.Canonical(health))
	}
	exposed(3, 2)
	b.restart()
	b.as(operator, "POST", "/api/v1/transactions/tx-30/revocation", seal.Object{"reason": "superseded"})
	exposed(2, 1)
	for _, m := range nodes {
		m.down()
	}
	b.clock.pass(31 * 24 * time.Hour)
	exposed(1, 1)
}

// A log that has grown and is quiet gets its checkpoint, and then it is quiet
// for good.
func TestQuietLogIsWitnessed(t *testing.T) {
	b, _ := fleet(t, func(c *server.Config) { c.Quiet = 200 * time.Millisecond })
	b.issued("tx-1", "payments-api")
	issued := seal.Integer(seal.Member(b.overview(), "audit"), "sequence")
	witnessed := func() bool {
		audit := seal.Member(b.overview(), "audit")
		return seal.Integer(seal.Member(audit, "witnesses"), "received") == 3 &&
			seal.Integer(audit, "checkpoint") >= issued && b.count("node.reported") >= 3
	}
	must.Eventually(b.t, "all witness", witnessed)
	b.clock.pass(11 * time.Second) // their reports may be logged
	must.Eventually(b.t, "the journals are anchored", func() bool { return b.count("node.reported") >= 6 })
	checkpoint := seal.Integer(seal.Member(b.overview(), "audit"), "checkpoint")
	for range 3 {
		b.clock.pass(time.Minute)
		must.Do(t, server.Due(b.server))
	}
	got := seal.Integer(seal.Member(b.overview(), "audit"), "checkpoint")
	check.That(t, got == checkpoint, "reports alone made a checkpoint: %d after %d", got, checkpoint)
}

func TestWindow(t *testing.T) {
	b, _ := fleet(t)
	for _, c := range []struct {
		query       string
		first, last int64
	}{
		{"?to=2", 1, 2}, {"?to=3&limit=2", 2, 3}, {"?limit=1&to=1", 1, 1}, {"?to=0", 0, 0},
	} {
		o := b.as(operator, "GET", "/api/v1/audit/events"+c.query, nil)
		events := seal.ObjectList(o, "events")
		sequence := func(i int) int64 { return seal.Integer(seal.Member(events[i], "body"), "sequence") }
		check.That(t, (c.last != 0 || len(events) == 0) &&
			(c.last <= 0 || sequence(0) == c.first && sequence(len(events)-1) == c.last), "%s: %d events", c.query, len(events))
	}
	newest := b.as(operator, "GET", "/api/v1/audit/events", nil)
	events := seal.ObjectList(newest, "events")
	check.Equal(t, events[len(events)-1]["hash"], seal.Member(newest, "head")["hash"],
		"the newest window does not end at the head")
}
