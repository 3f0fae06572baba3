package agent_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/agent"
)

// events are the statements of all trust events of a node, checked against the
// keys that the cloud has enrolled.
func (d *deployment) events(a *agent.Agent) []seal.Object {
	d.t.Helper()
	status, b := d.get(a, "/v1/trust-events?"+url.Values{"wait_seconds": {"0"}}.Encode())
	answer, err := seal.Parse(b)
	must.That(d.t, status == http.StatusOK && err == nil, "/v1/trust-events: %d %s %v", status, b, err)
	var statements []seal.Object
	for _, element := range seal.List(answer, "events") {
		envelope := element.(seal.Object)
		statement := seal.Member(envelope, "statement")
		d.cloud.mu.Lock()
		public := d.cloud.roster.Nodes[seal.Text(envelope, "key_id")]
		d.cloud.mu.Unlock()
		if !seal.Signed("svc.trust-event.v1", seal.Canonical(statement), public, seal.Text(envelope, "signature")) {
			d.t.Errorf("event %d is not signed by %s", seal.Integer(statement, "sequence"), seal.Text(envelope, "key_id"))
		}
		statements = append(statements, statement)
	}
	return statements
}

// told waits for n trust events of a topic, and returns the newest.
func (d *deployment) told(a *agent.Agent, topic string, n int) seal.Object {
	d.t.Helper()
	var found []seal.Object
	must.Eventually(d.t, topic, func() bool {
		found = nil
		for _, statement := range d.events(a) {
			if seal.Text(statement, "topic") == topic {
				found = append(found, statement)
			}
		}
		return len(found) >= n
	})
	check.That(d.t, len(found) <= n, "%d events of %s, want %d", len(found), topic, n)
	return found[n-1]
}

func observeWork(transaction, profile, capability string) seal.Object {
	return seal.Object{"kind": "observe", "transaction_id": transaction, "workload_profile": profile,
		"capability": capability}
}

// Evidence of a capability is given for many transactions while it is fresh, made anew after
// half of its lifetime, and its end is published once.
func TestCapabilities(t *testing.T) {
	t.Parallel()
	d := deploy(t)
	d.lifetime = 6 * time.Second
	a, stop := d.run()
	d.cloud.ask(observeWork("tx-1", "edge-gateway", "attested-boot"), observeWork("tx-2", "edge-gateway", "attested-boot"),
		observeWork("tx-3", "edge-gateway", "measured-boot"))
	first := seal.StatementDigest(seal.Member(d.cloud.result("observe", "tx-1"), "evidence"))
	check.Equal(t, seal.StatementDigest(seal.Member(d.cloud.result("observe", "tx-2"), "evidence")), first,
		"fresh evidence was not given again")
	check.That(t, seal.StatementDigest(seal.Member(d.cloud.result("observe", "tx-3"), "evidence")) != first,
		"evidence of another capability was given")
	observed := seal.Member(d.told(a, "capability.observed", 2), "data")
	d.told(a, "capability.expired", 2)
	d.cloud.ask(observeWork("tx-4", "edge-gateway", "attested-boot"))
	check.That(t, seal.StatementDigest(seal.Member(d.cloud.result("observe", "tx-4"), "evidence")) != first,
		"expired evidence was given")
	check.That(t, seal.Text(observed, "workload_profile") == "edge-gateway" && seal.Text(observed, "expires_at") != "",
		"the trust event says %s", seal.Canonical(observed))
	stop()
	a, stop = d.run() // and evidence that lapses while the node is down
	d.told(a, "capability.expired", 3)
	stop()
	check.Equal(t, types(d.checkJournal())["capability.observed"], 3, "observations in the journal")
}

// Evidence is renewed when less than half of its lifetime is left, and then the capability
// does not expire with the first evidence.
func TestRenewsCapabilities(t *testing.T) {
	t.Parallel()
	d := deploy(t)
	d.lifetime = 6 * time.Second
	a, _ := d.run()
	digests := map[string]bool{}
	for i := 0; len(digests) < 3; i++ {
		d.cloud.ask(observeWork(number(i), "edge-gateway", "attested-boot"))
		digests[seal.StatementDigest(seal.Member(d.cloud.result("observe", number(i)), "evidence"))] = true
	}
	for _, event := range d.events(a) {
		check.That(t, seal.Text(event, "topic") != "capability.expired", "it expired while it was renewed")
	}
}

// The cloud's notices become trust events, each once, and only of the topics
// that are the cloud's to say.
func TestPassesNoticesOn(t *testing.T) {
	d := deploy(t)
	a, stop := d.run()
	notice := func(sequence int64, topic string) seal.Object {
		return seal.Object{"sequence": sequence, "topic": topic, "data": seal.Object{"n": sequence}}
	}
	list := []seal.Object{
		notice(1, "policy.version.available"), notice(2, "service.claimed"), notice(3, "certificate.promoted"),
		notice(4, "trust_bundle.updated"), notice(4, "trust_bundle.updated"), notice(5, "incident.issuance_paused"),
		notice(6, "capability.expired"),
	}
	offer := func() { d.cloud.change(func() { d.cloud.offers["notices"] = seal.Objects(list) }) }
	offer()
	must.Eventually(t, "the notices", func() bool { return seal.Integer(d.cloud.lastSync(), "notices_after") == 6 })
	topics := func() string {
		var all []string
		for i, e := range d.events(a) {
			check.Equal(t, seal.Integer(e, "sequence"), int64(i+1), "event %d has sequence", i+1)
			all = append(all, seal.Text(e, "topic"))
		}
		return strings.Join(all, " ")
	}
	want := "policy.version.available service.claimed trust_bundle.updated incident.issuance_paused"
	got := topics()
	check.That(t, got == want, "%s\nwant %s", got, want)
	stop()
	a, _ = d.run()
	got = topics()
	check.That(t, got == want, "after a restart %s\nwant %s", got, want)
	b := d.metric(a, "svc_node_trust_event_batches_total") + " " +
		d.metric(a, "svc_node_trust_events_delivered_total")
	check.That(t, b == "1 4", "batches and events delivered: %s, want 1 4", b)
}

func TestTakesRegistrationsOver(t *testing.T) {
	d := deploy(t)
	a, _ := d.run()
	d.cloud.change(func() {
		d.cloud.offers["registrations"] = seal.Object{"version": int64(3), "services": []any{
			seal.Object{"service": "payments", "workload_profile": "payments-api", "node_id": nodeID}}}
	})
	must.Eventually(t, "the registrations",
		func() bool { return seal.Integer(d.cloud.lastSync(), "registrations_version") == 3 })
	check.That(t, d.metric(a, "svc_node_registration_sync_total") != "0", "it was not counted")
	d.cloud.change(func() {
		d.cloud.offers["registrations"] = seal.Object{"version": int64(4),
			"services": []any{seal.Object{"service": "payments"}}}
	})
	must.Eventually(t, "the refusal", func() bool { return strings.Contains(d.logs.String(), `"member":"registrations"`) })
	check.Equal(t, seal.Integer(d.cloud.lastSync(), "registrations_version"), 3, "version")
}

// A rotation: the old key names the new one, in journal, feed and enrolment.
func TestRotatesItsIdentity(t *testing.T) {
	d, a, stop, p := following(t)
	d.cloud.ask(approveWork("tx-1", terms(p, same)))
	d.cloud.result("approve", "tx-1")
	must.Do(t, agent.OrderRotation(d.state()))
	must.Eventually(t, "the order", func() bool { return !agent.RotationOrdered(d.state()) })
	event := d.told(a, "identity.rotated", 1)
	check.Equal(t, seal.Text(seal.Member(event, "data"), "key_id"), nodeID+"/2", "it names %s", seal.Canonical(event))
	must.Eventually(t, "the enrolment of the next", d.cloud.sees(func() bool { return len(d.cloud.enrolled) == 2 }))
	d.cloud.ask(approveWork("tx-2", terms(p, same)))
	check.Equal(t, seal.Text(seal.Member(d.cloud.result("approve", "tx-2"), "approval"), "key_id"), nodeID+"/2",
		"it signs with")
	stop()
	a, stop = d.run() // the certificate of the first generation is still accepted
	must.Do(t, a.RotateIdentity())
	must.Eventually(t, "the third", d.cloud.sees(func() bool { return len(d.cloud.enrolled) == 3 }))
	stop()
	for _, event := range d.checkJournal() {
		body := seal.Member(event, "body")
		if seal.Text(body, "type") != "identity.rotated" {
			continue
		}
		signed, named := seal.Text(event, "key_id"), seal.Text(seal.Member(body, "data"), "key_id")
		check.That(t, signed == nodeID && named == nodeID+"/2" || signed == nodeID+"/2" && named == nodeID+"/3",
			"%s names %s", signed, named)
	}
	check.Equal(t, types(d.journal())["identity.rotated"], 2, "rotations in the journal")
}

// An order that was carried out, and whose file survived a crash, is not carried
// out again.
func TestCarriesAnOrderOutOnce(t *testing.T) {
	d := deploy(t)
	order := d.state() + "/rotate-identity"
	write(t, order, []byte("one"))
	for range 2 {
		_, stop := d.run()
		must.Eventually(t, "the order", func() bool { return !agent.RotationOrdered(d.state()) })
		stop()
		write(t, order, []byte("one"))
	}
	check.Equal(t, types(d.journal())["identity.rotated"], 1, "rotations")
}
