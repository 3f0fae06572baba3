package node_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness"
	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/node"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

func world(t *testing.T) *harness.World {
	t.Helper()
	return must.Get(harness.NewWorld(1, harness.ThreeNodes(), func(seal.Object) {}))(t)
}

// log is the tenant log as its owner may write it: as often as he likes.
type log struct {
	*seal.Log
	w *harness.World
}

func history(w *harness.World, n int, what string) log {
	l := log{seal.NewLog(harness.Tenant, "tenant/"+harness.Tenant), w}
	l.extend(n, what)
	return l
}

func (l log) extend(n int, what string) {
	for range n {
		l.Append(seal.Entry{Type: "integration.changed", Data: seal.Object{"kind": what}}, l.w.Keys.Audit["audit-2026-1"])
	}
}

// checkpoint is a checkpoint of the log's head, with a change.
func (l log) checkpoint(change func(seal.Object)) seal.Object {
	statement := seal.Object{
		"protocol":           "svc.audit-checkpoint.v1",
		"tenant_id":          harness.Tenant,
		"log_id":             l.ID(),
		"sequence":           int64(l.Sequence()),
		"head_hash":          l.Head().String(),
		"required_witnesses": int64(2),
		"created_at":         "2026-03-02T09:00:01.000Z",
	}
	change(statement)
	return seal.Seal(statement, l.w.Keys.Audit["audit-2026-1"])
}

func same(seal.Object) {}

func TestWitnessesALogThatGrows(t *testing.T) {
	w := world(t)
	n, l := w.Nodes[0], history(w, 14, "a")
	for range 5 {
		checkpoint := l.checkpoint(same)
		receipt := must.Get(n.Witness(checkpoint, l.Since(n.Witnessed())))(t)
		got, want := seal.Text(seal.Member(receipt, "statement"), "checkpoint_sha256"),
			seal.StatementDigest(checkpoint)
		check.That(t, got == want, "the receipt is for %s, want %s", got, want)
		check.Equal(t, n.Witnessed(), l.Sequence(), "witnessed up to")
		l.extend(13, "a")
	}
}

func TestSameHeadSameReceipt(t *testing.T) {
	w := world(t)
	n, l := w.Nodes[0], history(w, 14, "a")
	first := must.Get(n.Witness(l.checkpoint(same), l.Since(0)))(t)
	events := len(n.Journal())
	n.Rotate(chance.New(1))
	later := l.checkpoint(func(o seal.Object) { o["created_at"] = "2026-03-02T09:00:02.000Z" })
	again := must.Get(n.Witness(later, l.Since(n.Witnessed())))(t)
	check.That(t, bytes.Equal(seal.Canonical(first), seal.Canonical(again)), "another receipt for the same head")
	if len(n.Journal()) != events+1 { // the rotation
		t.Error("the same head was journalled twice")
	}
}

// A second history behind a skip link: event 13 of the log skips to 4, and the
// forger gives it an event 4 of his own. Every link on the way from the head
// is sound; only a replay of all of them shows it.
func TestRefusesASecondHistoryBehindASkipLink(t *testing.T) {
	w := world(t)
	honest, other := history(w, 12, "honest"), history(w, 4, "other")
	links := slices.Collect(honest.Since(0))
	forged := seal.Link{Sequence: 13, Previous: honest.Head(), Skip: other.Head(), Body: seal.Hash{1}}
	links = append(links, forged)
	checkpoint := honest.checkpoint(func(o seal.Object) {
		o["sequence"], o["head_hash"] = int64(13), forged.Hash().String()
	})
	n := w.Nodes[0]
	check.Fails(t, check.Err(n.Witness(checkpoint, slices.Values(links))), "skip link",
		"a second history")
	check.That(t, check.Err(n.Witness(checkpoint, slices.Values(links[12:]))) != nil, "the last link alone was enough")
}

// After a refusal the node is where it stood.
func TestRefusesAndRemembers(t *testing.T) {
	w := world(t)
	n, l := w.Nodes[0], history(w, 20, "a")
	receipt := must.Get(n.Witness(l.checkpoint(same), l.Since(0)))(t)
	at := l.checkpoint(same)
	l.extend(10, "a")
	second, shorter := history(w, 30, "b"), history(w, 15, "a")
	for _, c := range []struct {
		name       string
		want       string
		checkpoint seal.Object
		log        log
		from       uint64
	}{
		{"lower sequence", "after 20 was witnessed", shorter.checkpoint(same), shorter, 0},
		{"sequence 0", "after 20 was witnessed", l.checkpoint(func(o seal.Object) { o["sequence"] = int64(0) }), l, 20},
		{"another head", "after", l.checkpoint(func(o seal.Object) { o["sequence"] = int64(20) }), l, 20},
		{"another history from its genesis", "replay", second.checkpoint(same), second, 0},
		{"another history from here", "replay", second.checkpoint(same), second, 20},
		{"a link left out", "replay", l.checkpoint(same), l, 21},
		{"links that end early", "lead to", l.checkpoint(func(o seal.Object) { o["sequence"] = int64(31) }), l, 20},
		{"no links", "lead to", l.checkpoint(same), l, 30},
		{"another log", "log_id", l.checkpoint(func(o seal.Object) { o["log_id"] = "node/mesh-oslo-1" }), l, 20},
		{"another tenant", "tenant_id", l.checkpoint(func(o seal.Object) { o["tenant_id"] = "other" }), l, 20},
		{"legacy", "protocol", l.checkpoint(func(o seal.Object) { o["protocol"] = "svc.audit-checkpoint.v0" }), l, 20},
		{"from the future", "created_at", l.checkpoint(func(o seal.Object) { o["created_at"] = "2026-03-02T10:00:00.000Z" }),
			l, 20},
		{"no time", "created_at", l.checkpoint(func(o seal.Object) { o["created_at"] = "today" }), l, 20},
		{"signed by a node", "key_id", seal.Seal(seal.Member(l.checkpoint(same), "statement"), w.Nodes[1].Key()), l, 20},
	} {
		_, err := n.Witness(c.checkpoint, c.log.Since(c.from))
		check.That(t, err != nil && strings.Contains(err.Error(), c.want),
			"%s: expected an error with %q, found %v", c.name, c.want, err)
	}
	if again, err := n.Witness(at, l.Since(20)); err != nil ||
		!bytes.Equal(seal.Canonical(again), seal.Canonical(receipt)) {
		t.Errorf("the node forgot what it witnessed: %v", err)
	}
	check.OK(t, check.Err(n.Witness(l.checkpoint(same), l.Since(20))), "the true log goes on")
}

// newCase is a case of the profile that one terms' member is changed in.
func newCase(w *harness.World, t *testing.T, profile string, change func(seal.Object)) consent.Case {
	t.Helper()
	tx := must.Get(w.Request(harness.Order{
		TransactionID: "tx", Profile: profile, Algorithm: "ecdsa-p256", Lifetime: time.Hour,
		Names: []string{"dns:a.example"}, Usages: []string{"serverAuth"},
	}))(t)
	terms := seal.CloneObject(tx.Case.Terms)
	change(terms)
	return consent.Case{TransactionID: "tx", Terms: terms}
}

func TestApprovesByItsPolicy(t *testing.T) {
	for _, c := range []struct {
		name, profile, want string
		change              func(seal.Object)
	}{
		{"as it should be", "payments-api", "allow", same},
		{"another version", "payments-api", "deny", func(o seal.Object) { o["policy_version"] = int64(6) }},
		{"another policy", "payments-api", "deny", func(o seal.Object) { o["policy_sha256"] = seal.SHA256(nil) }},
		{"unknown profile", "unknown", "deny", same},
		{"algorithm", "ledger-batch", "deny", func(o seal.Object) { o["algorithm"] = "rsa-2048" }},
		{"lifetime", "payments-api", "deny", func(o seal.Object) { o["lifetime_seconds"] = int64(30*24*3600 + 1) }},
		{"longest lifetime", "payments-api", "allow", func(o seal.Object) { o["lifetime_seconds"] = int64(30 * 24 * 3600) }},
		{"approvals", "payments-api", "deny", func(o seal.Object) { o["required_approvals"] = int64(1) }},
		{"capability", "edge-gateway", "deny", same},
	} {
		w := world(t)
		approval := w.Nodes[0].Approve(newCase(w, t, c.profile, c.change))
		check.Equal(t, seal.Text(seal.Member(approval, "statement"), "decision"), c.want, "%s", c.name)
		journalled := last(w.Nodes[0])
		check.That(t, c.want != "deny" || seal.Text(journalled, "type") == "approval.denied",
			"%s: the last event is %s", c.name, seal.Text(journalled, "type"))
		check.Equal(t, seal.Text(seal.Member(journalled, "data"), "approval_sha256"), seal.StatementDigest(approval),
			"%s: the journal names the approval", c.name)
	}
}

func TestApprovesByCapability(t *testing.T) {
	w := world(t)
	c := newCase(w, t, "edge-gateway", same)
	other := w.Nodes[1].Observe("payments-api", "attested-boot")
	weaker := w.Nodes[1].Observe("edge-gateway", "measured-boot")
	right := w.Nodes[1].Observe("edge-gateway", "attested-boot")
	for _, step := range []struct {
		name, want string
		evidence   []seal.Object
	}{
		{"another profile", "deny", []seal.Object{right, other}},
		{"another capability", "deny", []seal.Object{weaker}},
		{"the right one", "allow", []seal.Object{right, weaker}},
	} {
		c.Capability = step.evidence
		statement := seal.Member(w.Nodes[0].Approve(c), "statement")
		check.Equal(t, seal.Text(statement, "decision"), step.want, "%s", step.name)
		relied := len(seal.List(statement, "capability_evidence"))
		want := map[string]int{"allow": 2}[step.want]
		check.That(t, relied == want, "%s: relies on %d, want %d", step.name, relied, want)
	}
	w.Clock.Pass(24 * time.Hour)
	got := seal.Text(seal.Member(w.Nodes[0].Approve(c), "statement"), "decision")
	check.That(t, got == "deny", "expired capability: %s, want deny", got)
}

func TestPolicyOnlyGoesForward(t *testing.T) {
	n := world(t).Nodes[0]
	events := len(n.Journal())
	for _, version := range []int64{6, 7} {
		check.That(t, n.SyncPolicy(consent.Policy(version)) != nil, "version %d was taken over after 7", version)
	}
	err := n.SyncPolicy(consent.Policy(8))
	check.That(t, err == nil && len(n.Journal()) == events+1, "version 8: %v", err)
}

func TestReport(t *testing.T) {
	w := world(t)
	for _, n := range w.Nodes {
		report := must.Get(n.Report())(t)
		head := n.Journal()[len(n.Journal())-1]
		check.Equal(t, seal.Text(report, "audit_head"), seal.Text(head, "hash"), "%s reports the head", n.ID())
	}
}

func TestRotation(t *testing.T) {
	w := world(t)
	n := w.Nodes[0]
	w.RotateKeys()
	check.Equal(t, n.Key().ID, "mesh-berlin-1/2", "the second generation")
	// The old key vouches for the new one.
	check.Equal(t, seal.Text(n.Journal()[len(n.Journal())-1], "key_id"), "mesh-berlin-1", "the rotation was signed by")
	evidence := n.Observe("payments-api", "attested-boot")
	if seal.Text(evidence, "key_id") != "mesh-berlin-1/2" ||
		seal.Text(seal.Member(evidence, "statement"), "node_id") != "mesh-berlin-1" {
		t.Errorf("after the rotation %s signs for %s", seal.Text(evidence, "key_id"),
			seal.Text(seal.Member(evidence, "statement"), "node_id"))
	}
}

func last(n *node.Node) seal.Object {
	return seal.Member(n.Journal()[len(n.Journal())-1], "body")
}
