package agent_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/nodeconfig"
)

// peer is the key of another node.
func peer(id string) seal.Key {
	return seal.Key{ID: id, Private: chance.New(9).Stream(id).Ed25519()}
}

// approvalBy is an approval of another node.
func approvalBy(key seal.Key, transaction string, terms seal.Object) seal.Object {
	now := time.Now()
	return seal.Seal(seal.Object{
		"protocol": "svc.approval.v1", "tenant_id": tenant, "transaction_id": transaction, "node_id": key.ID,
		"decision": "allow", "terms": terms, "capability_evidence": []any{},
		"decided_at": seal.Time(now), "expires_at": seal.Time(now.Add(time.Hour)),
	}, key)
}

// A transaction is judged once: a repeated request, even with other terms, is answered with
// the same statement.
func TestJudgesATransactionOnce(t *testing.T) {
	d, _, stop, p := following(t)
	d.cloud.ask(approveWork("tx-1", terms(p, same)))
	first := d.cloud.result("approve", "tx-1")
	stop()
	_, stop = d.run() // its statement survives the restart
	for i, again := range []seal.Object{
		approveWork("tx-1", terms(p, same)),
		approveWork("tx-1", terms(p, func(o seal.Object) { o["names"] = seal.Strings([]string{"dns:b.example"}) })),
	} {
		d.cloud.ask(again)
		must.Eventually(t, "an answer", func() bool { return d.cloud.count("approve") == i+2 })
	}
	check.That(t, bytes.Equal(seal.Canonical(first), seal.Canonical(d.cloud.result("approve", "tx-1"))),
		"another approval for the same transaction")
	stop()
	check.Equal(t, types(d.checkJournal())["approval.signed"], 1, "approvals in the journal")
}

// The customer's decision counts approvals by nodes of the roster only, and the
// node makes it only if it approved itself.
func TestDecidesByTheRoster(t *testing.T) {
	d, _, stop, p := following(t)
	lisbon, forger := peer("mesh-lisbon-1"), peer("mesh-rome-1")
	must.Eventually(t, "enrolment", d.cloud.sees(func() bool { return len(d.cloud.enrolled) == 1 }))
	d.cloud.names(lisbon)
	decide := func(transaction string, approvals ...seal.Object) string {
		d.cloud.ask(seal.Object{
			"kind": "decide", "transaction_id": transaction, "terms": terms(p, same),
			"capability_evidence": []any{}, "approvals": seal.Objects(approvals),
		})
		return decisionOf(d.cloud.result("decide", transaction), "decision")
	}
	own := func(transaction string) seal.Object {
		d.cloud.ask(approveWork(transaction, terms(p, same)))
		return seal.Member(d.cloud.result("approve", transaction), "approval")
	}
	by := func(key seal.Key, transaction string) seal.Object {
		return approvalBy(key, transaction, terms(p, same))
	}
	for _, c := range []struct {
		transaction, want string
		approvals         func(tx string) []seal.Object
	}{
		{"tx-quorum", "allow", func(tx string) []seal.Object { return []seal.Object{by(lisbon, tx), own(tx)} }},
		{"tx-unknown-node", "deny", func(tx string) []seal.Object { return []seal.Object{own(tx), by(forger, tx)} }},
		{"tx-one", "deny", func(tx string) []seal.Object { return []seal.Object{own(tx)} }},
		{"tx-not-own", "deny", func(tx string) []seal.Object {
			return []seal.Object{by(lisbon, tx), by(lisbon, tx)}
		}},
		{"tx-other", "deny", func(tx string) []seal.Object { return []seal.Object{by(lisbon, "tx-quorum"), own(tx)} }},
	} {
		check.Equal(t, decide(c.transaction, c.approvals(c.transaction)...), c.want, "%s", c.transaction)
	}
	// Two nodes that approve are a quorum; but this one is not among them.
	d.cloud.names(forger)
	check.Equal(t, decide("tx-others", by(lisbon, "tx-others"), by(forger, "tx-others")), "deny",
		"without its own approval")
	check.Equal(t, decide("tx-near", by(lisbon, "tx-near"), own("tx-near")), "allow", "with its own approval")
	stop()
	d.checkJournal()
}

// refuses gives the node a piece of work, and waits until it is refused.
func (d *deployment) refuses(name string, piece seal.Object) {
	d.t.Helper()
	refusals := func() int { return strings.Count(d.logs.String(), "a piece of work was refused") }
	before := refusals()
	d.cloud.change(func() { d.cloud.work = []seal.Object{piece} })
	must.Eventually(d.t, "the refusal of "+name, func() bool { return refusals() > before })
	d.cloud.change(func() { d.cloud.work = nil })
}

func TestRefusesWork(t *testing.T) {
	d, _, _, p := following(t)
	good := func() seal.Object { return approveWork("tx-x", terms(p, same)) }
	for name, change := range map[string]func(seal.Object){
		"unknown member":    func(o seal.Object) { o["also"] = true },
		"no evidence list":  func(o seal.Object) { delete(o, "capability_evidence") },
		"no transaction":    func(o seal.Object) { delete(o, "transaction_id") },
		"a path":            func(o seal.Object) { o["transaction_id"] = "../tx" },
		"unknown kind":      func(o seal.Object) { o["kind"] = "revoke" },
		"unknown term":      func(o seal.Object) { seal.Member(o, "terms")["issuer"] = "me" },
		"a term is missing": func(o seal.Object) { delete(seal.Member(o, "terms"), "names") },
		"no names":          func(o seal.Object) { seal.Member(o, "terms")["names"] = []any{} },
		"a number as text":  func(o seal.Object) { seal.Member(o, "terms")["policy_version"] = "7" },
		"lifetime 0":        func(o seal.Object) { seal.Member(o, "terms")["lifetime_seconds"] = int64(0) },
	} {
		piece := good()
		change(piece)
		d.refuses(name, piece)
	}
	check.Equal(t, d.cloud.count("approve"), 0, "approvals of malformed work")
	d.cloud.change(func() { d.cloud.work = []seal.Object{good()} })
	check.Equal(t, decisionOf(d.cloud.result("approve", "tx-x"), "approval"), "allow", "the near miss")
}

// A node that comes back continues where it was.
func TestGoesOnAfterARestart(t *testing.T) {
	d, _, stop, p := following(t)
	d.cloud.ask(approveWork("tx-1", terms(p, same)))
	d.cloud.result("approve", "tx-1")
	d.cloud.grow(30)
	d.cloud.result("witness", "")
	stop()
	before := d.journal()

	a, stop := d.run()
	h := d.health(a)
	if seal.Integer(h, "policy_version") != 7 || seal.Text(h, "policy_last_synced_at") == "" ||
		seal.Integer(h, "audit_sequence") != int64(len(before)) ||
		seal.Text(h, "audit_head") != seal.Text(before[len(before)-1], "hash") {
		t.Errorf("health after the restart: %s", seal.Canonical(h))
	}
	// The receipt of the first checkpoint is handed over again, as its answer was lost in the
	// restart.
	next := seal.Integer(seal.Member(d.cloud.grow(10), "statement"), "sequence")
	must.Eventually(t, "the next receipt", func() bool { return seal.Integer(d.cloud.lastSync(), "witnessed") == next })
	stop()
	events := d.checkJournal()
	check.Equal(t, len(events), len(before)+1, "events")
	check.Equal(t, len(d.cloud.enrolled), 1, "enrolled %q", d.cloud.enrolled)
}

// Results that could not be handed over wait, and the transactions that the node approved are
// counted once.
func TestQueuesAfterATransportFailure(t *testing.T) {
	d, a, _, p := following(t)
	must.Eventually(t, "the policy", func() bool { return seal.Integer(d.health(a), "policy_version") == 7 })
	d.cloud.change(func() { d.cloud.resultsDown = true })
	d.cloud.ask(
		approveWork("tx-1", terms(p, same)), approveWork("tx-2", terms(p, same)),
		approveWork("tx-3", terms(p, func(o seal.Object) { o["algorithm"] = "rsa-2048" })),
	)
	must.Eventually(t, "the failures", d.cloud.sees(func() bool { return d.cloud.lost >= 3 }))
	check.Equal(t, d.metric(a, "svc_node_outbox_queued_total"), "2", "queued, want the 2 that were approved")
	d.cloud.change(func() { d.cloud.resultsDown = false })
	for _, transaction := range []string{"tx-1", "tx-2", "tx-3"} {
		d.cloud.result("approve", transaction)
	}
	check.Equal(t, d.cloud.count("approve"), 3, "results")
}

// Results that the cloud refuses are not handed over for ever.
func TestLetsGoOfRefusedResults(t *testing.T) {
	d, a, _, p := following(t)
	d.cloud.change(func() { d.cloud.refuse = "conflict" })
	d.cloud.ask(approveWork("tx-1", terms(p, same)))
	must.Eventually(t, "the refusal",
		func() bool { return strings.Contains(d.logs.String(), "the cloud refused a result") })
	d.cloud.change(func() { d.cloud.work = nil })
	syncs := d.cloud.syncCount()
	a.Wake()
	must.Eventually(t, "an empty outbox", func() bool {
		return d.cloud.syncCount() > syncs && seal.Integer(d.cloud.lastSync(), "wait_seconds") > 0
	})
	d.cloud.change(func() { d.cloud.refuse = "" })
	d.cloud.ask(approveWork("tx-2", terms(p, same)))
	d.cloud.result("approve", "tx-2")
	check.Equal(t, d.cloud.count("approve"), 1, "results were taken")
}

// A cloud that does not hold its polls is not asked all the time.
func TestRestsWhenThereIsNothingNew(t *testing.T) {
	d := deploy(t)
	d.configure = func(c *nodeconfig.Config) { c.Cloud.PollInterval = time.Hour }
	d.cloud.change(func() { d.cloud.forced = seal.Object{"later": "an unknown member"} })
	a, stop := d.run()
	must.Eventually(t, "the first poll", func() bool { return d.cloud.syncCount() == 1 })
	for i := 2; i < 5; i++ {
		a.Wake()
		must.Eventually(t, "another poll", func() bool { return d.cloud.syncCount() == i })
	}
	stop()
	check.Equal(t, d.cloud.syncCount(), 4, "polls, want one for each time it was woken")
}
