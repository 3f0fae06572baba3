package server_test

import (
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/server"
)

func TestReportsAreRare(t *testing.T) {
	b, nodes := quiet(t)
	m := nodes[0]
	reported := func(want int) {
		t.Helper()
		m.node.Observe("payments-api", "attested-boot")
		m.poll()
		check.Equal(t, b.count("node.reported"), want, "reports were logged")
	}
	m.poll() // its journal has begun
	reported(1)
	reported(1)
	b.clock.pass(11 * time.Second)
	must.Eventually(b.t, "the newest is logged", func() bool { return b.count("node.reported") == 2 })
	reported(2)
	var last int64
	for _, event := range b.events() {
		if body := seal.Member(event, "body"); seal.Text(body, "type") == "node.reported" {
			last = seal.Integer(seal.Member(body, "data"), "audit_sequence")
		}
	}
	check.That(t, last == int64(m.node.Sequence())-1, "event %d was reported last, of %d", last, m.node.Sequence())
}

// Notices wait for a node that is behind, and no longer.
func TestNoticesWait(t *testing.T) {
	b, nodes := fleet(t)
	late := nodes[2]
	late.down()
	for version := int64(2); version <= 6; version++ {
		b.publish(version)
	}
	for _, m := range nodes[:2] {
		must.Eventually(b.t, "the notices reach "+m.id, func() bool { return len(m.topics()) >= 6 })
	}
	b.restart()
	if kept := server.Notices(b.server); kept < 5 {
		t.Errorf("%d notices are kept for %s", kept, late.id)
	}
	late.up()
	must.Eventually(b.t, "the notices reach "+late.id, func() bool { return len(late.topics()) >= 6 })
	must.Eventually(b.t, "they are dropped", func() bool { return server.Notices(b.server) == 1 })
	b.restart()
	b.publish(7)
	must.Eventually(b.t, "the sequence goes on", func() bool { return len(late.topics()) >= 7 })
}
