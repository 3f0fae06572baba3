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

// give posts one result of a node and returns the code with which it was
// refused, "" if it was taken.
func (m *mesh) give(result seal.Object) string {
	m.b.t.Helper()
	o := m.b.as("node/"+m.id, http.MethodPost, m.path("results"), seal.Object{"results": []any{result}})
	for _, refusal := range seal.ObjectList(o, "refused") {
		return seal.Text(refusal, "code")
	}
	return ""
}

// poll makes one poll without waiting.
func (m *mesh) poll() seal.Object {
	m.b.t.Helper()
	return m.b.as("node/"+m.id, http.MethodPost, m.path("sync"), m.position(0))
}

// takes has the node adopt policy and roster from an answer.
func (m *mesh) takes(answer seal.Object) {
	m.b.t.Helper()
	for _, err := range []error{m.node.TakePolicy(seal.Member(answer, "policy")),
		m.node.TakeRoster(seal.Member(answer, "roster"))} {
		must.Do(m.b.t, err)
	}
}

// quiet is a cloud with a policy and three nodes that act only on command.
func quiet(t testing.TB, change ...func(*server.Config)) (*bench, []*mesh) {
	t.Helper()
	b := start(t, change...)
	nodes := b.enrolled()
	b.publish(1)
	for _, m := range nodes {
		m.takes(m.poll())
	}
	return b, nodes
}

// piece returns the work of a kind for the transaction that a node is given, or
// nil.
func (m *mesh) piece(kind, id string) seal.Object {
	m.b.t.Helper()
	for _, piece := range seal.ObjectList(m.poll(), "work") {
		if piece["kind"] == kind && piece["transaction_id"] == id {
			return piece
		}
	}
	return nil
}

// asked are the nodes that are asked to do this.
func asked(nodes []*mesh, kind, id string) []*mesh {
	var list []*mesh
	for _, m := range nodes {
		if m.piece(kind, id) != nil {
			list = append(list, m)
		}
	}
	return list
}

// amend changes the statement in a result and has the node sign it again.
func (m *mesh) amend(result seal.Object, part string, change func(seal.Object)) seal.Object {
	statement := seal.CloneObject(seal.Member(seal.Member(result, part), "statement"))
	change(statement)
	amended := seal.CloneObject(result)
	amended[part] = seal.Seal(statement, m.node.Key())
	return amended
}

func set(name string, value any) func(seal.Object) { return func(o seal.Object) { o[name] = value } }

// forgeries are a hostile node's changes to a statement: everything that would make a bundle
// malformed or wrong.
var forgeries = map[string]func(seal.Object){
	"an unknown member":        set("comment", "x"),
	"another transaction":      set("transaction_id", "tx-9"),
	"another tenant":           set("tenant_id", "other"),
	"another node":             set("node_id", "mesh-none-1"),
	"no time":                  set("decided_at", "now"),
	"a rounded time":           set("decided_at", "2026-03-02T09:00:00Z"),
	"other evidence":           set("capability_evidence", seal.Strings([]string{seal.SHA256(nil)})),
	"evidence that is no list": set("capability_evidence", "none"),
	"evidence of numbers":      set("capability_evidence", []any{int64(1)}),
	"an unknown decision":      set("decision", "perhaps"),
	"other terms": func(o seal.Object) {
		seal.Member(o, "terms")["lifetime_seconds"] = int64(1)
	},
	"no terms": func(o seal.Object) { delete(o, "terms") },
}

func TestRefusesForgedStatements(t *testing.T) {
	b, nodes := quiet(t)
	b.request("tx-1", "payments-api")
	b.request("tx-2", "store-tls")
	first := asked(nodes, "approve", "tx-1")
	must.Equal(t, len(first), 2, "nodes are asked to approve, not just enough")
	m, other := first[0], first[1]
	approval := m.do(m.piece("approve", "tx-1"))
	for name, change := range forgeries {
		check.That(t, m.give(m.amend(approval, "approval", change)) != "", "an approval with %s was taken", name)
	}
	for name, change := range map[string]func(seal.Object){
		"expired":         set("expires_at", seal.Time(time.Now())),
		"from the future": set("decided_at", seal.Time(time.Now().Add(time.Hour))),
		"no expiry":       func(o seal.Object) { delete(o, "expires_at") },
	} {
		check.Equal(t, m.give(m.amend(approval, "approval", change)), "request_invalid", "an approval %s was taken", name)
	}
	envelope := seal.CloneObject(approval)
	seal.Member(envelope, "approval")["comment"] = "x"
	unsigned := seal.CloneObject(approval)
	seal.Member(unsigned, "approval")["signature"] = seal.Base64(make([]byte, 64))
	elsewhere := seal.CloneObject(approval)
	elsewhere["transaction_id"] = "tx-2"
	for name, result := range map[string]seal.Object{
		"an envelope with a member too many": envelope, "another signature": unsigned, "another transaction": elsewhere,
		"a member too many": {"kind": "approve", "transaction_id": "tx-1", "approval": approval["approval"], "x": "y"},
		"no approval":       {"kind": "approve", "transaction_id": "tx-1"},
		"no kind":           {"transaction_id": "tx-1"},
		"no transaction":    {"kind": "approve", "transaction_id": "tx-9", "approval": approval["approval"]},
	} {
		check.That(t, m.give(result) != "", "%s was taken", name)
	}
	check.Equal(t, other.give(approval), "identity_refused", "another node's approval")
	check.Equal(t, b.count("approval.recorded"), 0, "a refused approval was logged")
	for range 2 {
		check.Equal(t, m.give(approval), "", "the approval")
	}
	check.Equal(t, m.give(m.amend(approval, "approval", set("decision", "deny"))), "conflict", "a second answer")
	check.Equal(t, b.count("approval.recorded"), 1, "approvals were logged, not the one")
}

func TestRefusesForgedDecisions(t *testing.T) {
	b, nodes := quiet(t)
	b.request("tx-1", "edge-gateway")
	observers := asked(nodes, "observe", "tx-1")
	must.Equal(t, len(observers), 1, "nodes are asked to observe")
	observer := observers[0]
	evidence := observer.do(observer.piece("observe", "tx-1"))
	for name, change := range map[string]func(seal.Object){
		"another profile":    set("workload_profile", "payments-api"),
		"another capability": set("capability", "none"),
		"a member too many":  set("comment", "x"),
		"another node":       set("node_id", "mesh-none-1"),
		"no time":            set("observed_at", "now"),
		"an expiry":          set("expires_at", seal.Time(time.Now().Add(-time.Second))),
		"a time to come":     set("observed_at", seal.Time(time.Now().Add(time.Hour))),
	} {
		check.That(t, observer.give(observer.amend(evidence, "evidence", change)) != "",
			"capability evidence with %s was taken", name)
	}
	must.Equal(t, observer.give(evidence), "", "capability evidence")
	check.Equal(t, observer.give(observer.do(seal.Object{"kind": "observe", "transaction_id": "tx-1",
		"workload_profile": "edge-gateway", "capability": "attested-boot"})), "conflict", "more capability evidence")
	approvers := asked(nodes, "approve", "tx-1")
	for _, m := range approvers {
		approval := m.do(m.piece("approve", "tx-1"))
		check.Equal(t, m.give(m.amend(approval, "approval", set("capability_evidence", []any{}))), "request_invalid",
			"an approval that relies on nothing")
		check.That(t, m.piece("approve", "tx-1") == nil, "it is asked again for what it answered wrongly")
		must.Equal(t, m.give(approval), "", "approval")
	}
	deciders := asked(nodes, "decide", "tx-1")
	must.Equal(t, len(deciders), 1, "nodes are asked to decide")
	m := deciders[0]
	work := m.piece("decide", "tx-1")
	decision := m.do(work)
	for name, change := range forgeries {
		check.That(t, m.give(m.amend(decision, "decision", change)) != "", "a decision with %s was taken", name)
	}
	for name, change := range map[string]func(seal.Object){
		"no approvals":      set("approvals", []any{}),
		"the other domain":  set("trust_domain", "service"),
		"no trust domain":   func(o seal.Object) { delete(o, "trust_domain") },
		"another's witness": set("protocol", "svc.witness-receipt.v1"),
	} {
		check.That(t, m.give(m.amend(decision, "decision", change)) != "", "a decision with %s was taken", name)
	}
	for _, stranger := range nodes {
		if !slices.Contains(approvers, stranger) {
			check.Equal(t, stranger.give(stranger.do(work)), "conflict", "a decision of %s, who did not approve",
				stranger.id)
		}
	}
	next := asked(nodes, "decide", "tx-1")
	check.That(t, len(next) == 1 && next[0] != m, "nobody else is asked to decide")
	must.Equal(t, m.give(decision), "", "decision")
	b.becomes("tx-1", "issued")
	check.Equal(t, m.give(decision), "", "the decision again")
}

func TestRefusesForgedReceipts(t *testing.T) {
	b, nodes := fleet(t)
	b.issued("tx-1", "payments-api")
	m := nodes[0]
	m.set(func() { m.deaf["witness"] = true })
	b.as(operator, http.MethodPost, "/api/v1/transactions/tx-1/evidence", seal.Object{"wait_seconds": int64(60)})
	m.down()
	checkpoint := seal.Member(m.poll(), "checkpoint")
	sequence := seal.Integer(seal.Member(checkpoint, "statement"), "sequence")
	receipt := must.Get(m.node.Witness(checkpoint, m.links(t.Context(), b.client("node/"+m.id), sequence)))(t)
	result := seal.Object{"kind": "witness", "receipt": receipt}
	for name, change := range map[string]func(seal.Object){
		"a member too many":         set("comment", "x"),
		"another log":               set("log_id", "tenant/other"),
		"another head":              set("head_hash", seal.SHA256(nil)),
		"another sequence":          set("sequence", sequence-1),
		"another checkpoint":        set("checkpoint_sha256", seal.SHA256(nil)),
		"a time long ago":           set("witnessed_at", "2020-01-01T00:00:00.000Z"),
		"no time":                   func(o seal.Object) { delete(o, "witnessed_at") },
		"another node":              set("node_id", nodes[1].id),
		"a sequence that is a text": set("sequence", "1"),
	} {
		check.That(t, m.give(m.amend(result, "receipt", change)) != "", "a receipt with %s was taken", name)
	}
	for range 2 {
		check.Equal(t, m.give(result), "", "the receipt")
	}
	b.verified("tx-1", "issued", nodes)
}
