package server_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/server"
)

// denied waits until a transaction is denied and checks why.
func (b *bench) denied(id, code string) {
	b.t.Helper()
	if o := b.becomes(id, "denied"); seal.Text(o, "code") != code || seal.Text(o, "detail") == "" {
		b.t.Errorf("%s was denied for %s, not %s: %s", id, seal.Text(o, "code"), code, seal.Text(o, "detail"))
	}
	b.refused("conflict", operator, "POST", "/api/v1/transactions/"+id+"/evidence", seal.Object{})
}

// The answers of nodes decide a transaction, and the code states why it was denied. One denial
// is not enough, and the signer refuses a decision that does not fit the clock.
func TestDenials(t *testing.T) {
	b, nodes := fleet(t)
	for i, c := range []struct {
		nodes      int // that amend their answers
		kind, part string
		change     func(seal.Object)
		code       string // "" if it is issued
	}{
		{1, "approve", "approval", set("decision", "deny"), ""},
		{2, "approve", "approval", set("decision", "deny"), "quorum_unreachable"},
		{3, "decide", "decision", set("decision", "deny"), "customer_denied"},
		{3, "decide", "decision", set("decided_at", "2020-01-01T00:00:00.000Z"), "signer_refused"},
	} {
		for j, m := range nodes {
			m.set(func() {
				m.mode = func(kind string, result seal.Object) seal.Object {
					if j < c.nodes && kind == c.kind {
						return m.amend(result, c.part, c.change)
					}
					return result
				}
			})
		}
		id := fmt.Sprint("tx-", i)
		b.request(id, "payments-api")
		if c.code != "" {
			b.denied(id, c.code)
			continue
		}
		b.becomes(id, "issued")
		b.verified(id, "issued", nodes)
	}
	check.Equal(t, b.count("issuance.completed"), 1, "issuances")
}

// A policy that does not allow the terms is for the nodes to judge.
func TestNodesJudgeThePolicy(t *testing.T) {
	b, _ := fleet(t)
	o := order(t, "tx-1", "payments-api")
	o["lifetime_seconds"] = int64(31 * 24 * 3600)
	b.as(operator, "POST", "/api/v1/transactions", o)
	b.denied("tx-1", "quorum_unreachable")
	detail := seal.Text(b.status("tx-1", "0"), "detail")
	want := "lifetime_seconds: policy 1 allows payments-api at most 2592000 seconds, found 2678400; " +
		"1 of 3 nodes are left to approve, 2 must"
	check.That(t, detail == want, "%q, want %q", detail, want)
	o = order(t, "tx-2", "payments-api")
	o["lifetime_seconds"] = int64(30 * 24 * 3600)
	b.as(operator, "POST", "/api/v1/transactions", o)
	b.becomes("tx-2", "issued")
}

func TestUndecidedExpires(t *testing.T) {
	t.Parallel()
	b, nodes := quiet(t)
	b.request("tx-1", "payments-api")
	b.clock.pass(9 * time.Minute)
	check.Equal[any](t, b.status("tx-1", "1")["status"], "pending", "after 9 minutes")
	b.clock.pass(2 * time.Minute)
	b.denied("tx-1", "transaction_expired")
	m := nodes[0]
	late := m.do(seal.Object{"kind": "approve", "transaction_id": "tx-1", "terms": seal.Object{}})
	check.Equal(t, m.give(late), "conflict", "an approval after that")
}

func TestNoNodesNoQuorum(t *testing.T) {
	b := start(t)
	b.publish(1)
	b.request("tx-1", "payments-api")
	b.denied("tx-1", "quorum_unreachable")
}

func TestPolicyChangeDeniesWhatIsOpen(t *testing.T) {
	b, nodes := quiet(t)
	b.request("tx-1", "payments-api")
	b.publish(2)
	b.denied("tx-1", "policy_changed")
	for _, m := range nodes {
		m.up()
	}
	must.Eventually(b.t, "every node has policy 2", func() bool { return b.states("ok") == 3 })
	b.issued("tx-2", "payments-api")
	b.verified("tx-2", "issued", nodes)
	check.That(t, slices.Contains(nodes[0].topics(), "policy.version.available"), "notices: %v", nodes[0].topics())
}

func TestRefusesPolicies(t *testing.T) {
	b := start(t)
	b.publish(1)
	b.publish(1) // the same again
	b.refused("conflict", operator, "POST", "/api/v1/policies", seal.Object{"policy": policy(3)})
	profile := func(name string, value any) seal.Object {
		p := policy(2)
		seal.Member(seal.Member(p, "profiles"), "payments-api")[name] = value
		return p
	}
	changed := policy(1)
	delete(seal.Member(changed, "profiles"), "store-tls")
	b.refused("conflict", operator, "POST", "/api/v1/policies", seal.Object{"policy": changed})
	for name, p := range map[string]seal.Object{
		"no profiles":           {"version": int64(2), "profiles": seal.Object{}},
		"a member too many":     {"version": int64(2), "profiles": policy(2)["profiles"], "x": "y"},
		"a version of 0":        {"version": int64(0), "profiles": policy(2)["profiles"]},
		"an unknown algorithm":  profile("algorithms", seal.Strings([]string{"dsa"})),
		"algorithms unsorted":   profile("algorithms", seal.Strings([]string{"rsa-2048", "ed25519"})),
		"no algorithms":         profile("algorithms", []any{}),
		"no approvals":          profile("required_approvals", int64(0)),
		"no lifetime":           profile("maximum_lifetime_seconds", int64(0)),
		"a capability of words": profile("capability", "two words"),
		"names that are none":   profile("names", seal.Strings([]string{"web.example"})),
		"names unsorted":        profile("names", seal.Strings([]string{"dns:b.example", "dns:a.example"})),
		"a name twice":          profile("names", seal.Strings([]string{"dns:a.example", "dns:a.example"})),
		"no names":              profile("names", []any{}),
		"a name for names":      profile("names", "dns:a.example"),
		"an unknown rule":       profile("approvers", []any{}),
	} {
		err := check.Err(b.try(operator, "POST", "/api/v1/policies", seal.Object{"policy": p}))
		check.That(t, isProblem(err, "request_invalid"), "%s: %v", name, err)
	}
	check.Equal(t, b.count("policy.published"), 1, "policies published")
}

// A node that does not answer is not waited for.
func TestPatience(t *testing.T) {
	t.Parallel()
	b, nodes := fleet(t, func(c *server.Config) { c.Patience = 300 * time.Millisecond })
	for _, kind := range []string{"observe", "approve", "decide"} {
		for _, m := range nodes {
			m.set(func() { m.deaf[kind] = true })
			b.issued("tx-"+kind+m.id, "edge-gateway")
			m.set(func() { m.deaf[kind] = false })
		}
	}
}

// A node that is down is not asked; with too few of them nothing is issued, and issuance
// continues when they are back.
func TestQuorumFailsClosed(t *testing.T) {
	t.Parallel()
	b, nodes := fleet(t, func(c *server.Config) { c.Poll = 300 * time.Millisecond })
	shows := func(label, quorum string) {
		t.Helper()
		must.Eventually(b.t, label+", and the quorum is "+quorum, func() bool {
			o := b.overview()
			return o["label"] == label && seal.Text(seal.Member(o, "quorum"), "state") == quorum
		})
	}
	nodes[0].down()
	shows("Degraded · 2/3 nodes healthy", "available")
	b.issued("tx-1", "payments-api")
	b.verified("tx-1", "issued", nodes)
	nodes[1].down()
	shows("Degraded · 1/3 nodes healthy", "fail_closed")
	b.request("tx-2", "payments-api")
	check.Equal[any](t, b.status("tx-2", "1")["status"], "pending", "with one node")
	must.Eventually(b.t, "with one witness it is pending", func() bool {
		p := b.refused("audit_customer_witness_pending", operator, "POST", "/api/v1/transactions/tx-1/evidence",
			seal.Object{"wait_seconds": int64(2)})
		return p.Status == http.StatusServiceUnavailable && p.Received == 1 && p.Required == 2 &&
			strings.Contains(p.Detail, "(1/2)")
	})
	nodes[0].up()
	b.becomes("tx-2", "issued")
	b.verified("tx-2", "issued", nodes)
}

func TestDisablement(t *testing.T) {
	b, nodes := quiet(t)
	b.request("tx-1", "payments-api")
	approver := asked(nodes, "approve", "tx-1")[0]
	approver.give(approver.do(approver.piece("approve", "tx-1")))
	b.request("tx-2", "store-tls")
	for range 2 {
		b.as(operator, "POST", approver.path("disablement"), seal.Object{})
	}
	b.denied("tx-1", "node_disabled")
	check.Equal[any](t, b.status("tx-2", "0")["status"], "pending", "a transaction that it took no part in")
	check.That(t, b.count("node.disabled") == 1 && b.states("disabled") == 1, "the log has %v", b.types())
	for _, path := range []string{"sync", "results", "enrolment"} {
		body := map[string]seal.Object{
			"sync": approver.position(0), "results": {"results": []any{}},
			"enrolment": enrolment(approver.node.Key(), approver.node.Key()),
		}[path]
		b.refused("identity_refused", "node/"+approver.id, "POST", approver.path(path), body)
	}
	b.refused("identity_refused", "node/"+approver.id, "GET", approver.path("links"), nil)
	b.refused("not_found", operator, "POST", "/api/v1/nodes/none/disablement", seal.Object{})
	rest := slices.DeleteFunc(slices.Clone(nodes), func(m *mesh) bool { return m == approver })
	b.as(operator, "POST", rest[0].path("disablement"), seal.Object{})
	b.denied("tx-2", "quorum_unreachable")
}
