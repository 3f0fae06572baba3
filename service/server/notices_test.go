package server_test

import (
	"net/http"
	"slices"
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
	last := seal.Integer(b.newest("node.reported"), "audit_sequence")
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
	kept := server.Notices(b.server)
	check.That(t, kept >= 5, "%d notices are kept for %s", kept, late.id)
	late.up()
	must.Eventually(b.t, "the notices reach "+late.id, func() bool { return len(late.topics()) >= 6 })
	must.Eventually(b.t, "they are dropped", func() bool { return server.Notices(b.server) == 1 })
	b.restart()
	b.publish(7)
	must.Eventually(b.t, "the sequence goes on", func() bool { return len(late.topics()) >= 7 })
}

const (
	pauses  = "/api/v1/issuance/pause"
	resumes = "/api/v1/issuance/resume-requests"
	other   = "operator/bert"
)

func asks(seconds int64) seal.Object { return seal.Object{"reason": "over", "valid_seconds": seconds} }

// asksResume requests a resume, and returns the path of its approval.
func (b *bench) asksResume(seconds int64) string {
	b.t.Helper()
	return resumes + "/" + seal.Text(b.as(operator, "POST", resumes, asks(seconds)), "request_id") + "/approval"
}

func TestKillSwitch(t *testing.T) {
	b, nodes := fleet(t)
	setDeaf(nodes, true, "approve")
	b.request("tx-1", "payments-api")
	b.refused("conflict", operator, "POST", resumes, asks(60))
	b.as(operator, "POST", pauses, seal.Object{"reason": "a key was stolen"})
	b.denied("tx-1", "issuance_paused")
	setDeaf(nodes, false, "approve")
	p := b.refused("issuance_paused", "workload/payments-api", "POST", "/api/v1/transactions",
		order(t, "tx-2", "payments-api"))
	check.That(t, p.Status == http.StatusLocked, "status %d", p.Status)
	b.refused("not_found", operator, "GET", "/api/v1/transactions/tx-2", nil)
	b.refused("conflict", operator, "POST", pauses, seal.Object{"reason": "again"})
	o := b.overview()
	check.That(t, o["label"] == "issuance paused" &&
		seal.Text(seal.Member(o, "incidents"), "reason") == "a key was stolen", "the label is %v", o["label"])
	must.Eventually(t, "the notice", func() bool { return slices.Contains(nodes[0].topics(), "incident.issuance_paused") })

	approval := b.asksResume(60)
	b.refused("conflict", other, "POST", resumes, asks(60))
	b.refused("identity_refused", operator, "POST", approval, seal.Object{})
	b.refused("not_found", other, "POST", resumes+"/none/approval", seal.Object{})
	o = seal.Member(seal.Member(b.overview(), "incidents"), "resume_request")
	wants(t, o, "the console shows", "by", "ada")
	check.That(t, approval == resumes+"/"+seal.Text(o, "request_id")+"/approval", "the console shows %v", o)
	b.as(other, "POST", approval, seal.Object{})
	b.refused("conflict", other, "POST", approval, seal.Object{})
	b.issued("tx-3", "payments-api")
	b.verified("tx-3", "issued", nodes)
	if !has(b.types(), "issuance.paused", "issuance.denied", "break_glass.resume_requested", "issuance.resumed",
		"issuance.completed") {
		t.Errorf("the log has %v", b.types())
	}
}

func TestResumeRequestExpires(t *testing.T) {
	b := start(t)
	b.publish(1)
	b.as(operator, "POST", pauses, seal.Object{"reason": "test"})
	for _, seconds := range []int64{59, 3601} {
		b.refused("request_invalid", operator, "POST", resumes, asks(seconds))
	}
	first := b.asksResume(60)
	b.clock.pass(50 * time.Second)
	check.Equal(t, b.count("break_glass.resume_expired"), 0, "it expired early")
	b.clock.pass(11 * time.Second)
	must.Eventually(b.t, "the expiry", func() bool { return b.count("break_glass.resume_expired") == 1 })
	b.refused("conflict", other, "POST", first, seal.Object{})

	// A request that expires while the cloud is down, and one that does not.
	b.as(operator, "POST", resumes, asks(60))
	b.stop()
	b.clock.pass(time.Minute)
	b.run()
	check.Equal(t, b.count("break_glass.resume_expired"), 2, "the expiry while the cloud was down was not logged")
	third := b.asksResume(3600)
	b.restart()
	b.refused("issuance_paused", operator, "POST", "/api/v1/transactions", order(t, "tx-1", "payments-api"))
	b.refused("identity_refused", operator, "POST", third, seal.Object{})
	b.as(other, "POST", third, seal.Object{})
	b.restart()
	check.That(t, b.overview()["label"] != "issuance paused" && b.count("break_glass.resume_expired") == 2 &&
		b.count("issuance.resumed") == 1,
		"after it was resumed: %v", b.types())
}
