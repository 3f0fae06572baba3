package service_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/api"
	"github.com/svc-edge/svc-verify/harness/cloud/service"
	"github.com/svc-edge/svc-verify/harness/node"
	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/rules"
	"github.com/svc-edge/svc-verify/harness/seed"
	"github.com/svc-edge/svc-verify/harness/wire"
)

// mesh is a small node that speaks the protocol. Package node is its
// judgement; its state is in memory, and outlives the cloud.
type mesh struct {
	b      *bench
	id     string
	source seed.Source
	cancel context.CancelFunc
	ended  chan struct{}

	mu           sync.Mutex
	node         *node.Node
	journal      []wire.Object
	notices      []wire.Object
	after        int64 // the last notice
	version      int64 // of the registrations
	services     []any
	integrations map[string]int64 // revisions that were acknowledged, negative for tombstones
	keys         map[string]any   // of rotations, by transaction
	refused      []wire.Object
	status       string
	deaf         map[string]bool // kinds of work that it does not do
	mode         func(kind string, result wire.Object) wire.Object
}

func newMesh(b *bench, id string) *mesh {
	b.t.Helper()
	keys, err := service.MakeKeys(b.config.Dir)
	if err != nil {
		b.t.Fatal(err)
	}
	m := &mesh{
		b: b, id: id, source: seed.Fresh(), status: "ok",
		integrations: map[string]int64{}, keys: map[string]any{}, deaf: map[string]bool{},
		mode: func(_ string, result wire.Object) wire.Object { return result },
	}
	roster := rules.NewRoster(tenant)
	roster.Audit, roster.Policies = keys.Audit, keys.Policies
	key := wire.Key{ID: id, Private: m.source.Stream("key").Ed25519()}
	roster.Nodes[id] = key.Public()
	m.node = node.Start(node.Config{
		ID: id, Roster: roster, Clock: b.clock, Salts: m.source.Stream("salts"), Key: key,
		CapabilityLifetime: time.Hour, Keep: func(event wire.Object) { m.journal = append(m.journal, event) },
	})
	return m
}

// enrolment is the statement by which a key enrols, signed by another.
func enrolment(next, by wire.Key) wire.Object {
	return wire.Object{"enrolment": wire.Seal(wire.Object{
		"protocol": "svc.node-enrolment.v1", "tenant_id": tenant, "node_id": rules.NodeOf(next.ID), "key_id": next.ID,
		"public_key": wire.Base64(next.Public()), "enrolled_at": wire.Time(time.Now()),
	}, by)}
}

func (m *mesh) path(what string) string { return "/api/v1/nodes/" + m.id + "/" + what }

// enrol enrols the node's first key.
func (m *mesh) enrol() *mesh {
	m.b.t.Helper()
	m.b.as("node/"+m.id, http.MethodPost, m.path("enrolment"), enrolment(m.node.Key(), m.node.Key()))
	return m
}

// up lets the node poll until it is taken down.
func (m *mesh) up() *mesh {
	ctx, cancel := context.WithCancel(context.Background())
	m.cancel, m.ended = cancel, make(chan struct{})
	go func() {
		defer close(m.ended)
		c := m.b.client("node/" + m.id)
		defer c.Close()
		for ctx.Err() == nil {
			if err := m.round(ctx, c); err != nil && ctx.Err() == nil {
				time.Sleep(20 * time.Millisecond)
			}
		}
	}()
	m.b.t.Cleanup(m.down)
	return m
}

func (m *mesh) down() {
	if m.cancel != nil {
		m.cancel()
		<-m.ended
	}
}

// position is the body of the node's sync.
func (m *mesh) position(wait int64) wire.Object {
	m.mu.Lock()
	defer m.mu.Unlock()
	o := wire.Object{
		"policy_version": m.node.PolicyVersion(), "roster_version": m.node.RosterVersion(), "witnessed": int64(m.node.Witnessed()),
		"notices_after": m.after, "registrations_version": m.version, "wait_seconds": wait,
		"health": wire.Object{"status": m.status, "node_id": m.id},
	}
	if report, err := m.node.Report(); err == nil {
		o["report"] = report
	}
	return o
}

// round is one poll and what follows from it.
func (m *mesh) round(ctx context.Context, c *api.Client) error {
	answer, err := c.Poll(ctx, 30*time.Second, http.MethodPost, m.path("sync"), m.position(1))
	if err != nil {
		return err
	}
	results, err := m.work(ctx, c, answer)
	if err != nil || len(results) == 0 {
		return err
	}
	taken, err := c.Do(ctx, http.MethodPost, m.path("results"), wire.Object{"results": results})
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, refusal := range wire.List(taken, "refused") {
		m.refused = append(m.refused, refusal.(wire.Object))
	}
	return err
}

// work does what the cloud's answer asks for.
func (m *mesh) work(ctx context.Context, c *api.Client, answer wire.Object) ([]any, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if policy := wire.Member(answer, "policy"); policy != nil {
		if err := m.node.TakePolicy(policy); err != nil {
			return nil, err
		}
	}
	if roster := wire.Member(answer, "roster"); roster != nil {
		if err := m.node.TakeRoster(roster); err != nil {
			return nil, err
		}
	}
	for _, notice := range wire.List(answer, "notices") {
		m.notices = append(m.notices, notice.(wire.Object))
		m.after = wire.Integer(notice.(wire.Object), "sequence")
	}
	if r := wire.Member(answer, "registrations"); r != nil {
		m.version, m.services = wire.Integer(r, "version"), wire.List(r, "services")
	}
	results := m.apply(answer)
	for _, piece := range wire.List(answer, "work") {
		piece := piece.(wire.Object)
		if kind := wire.Text(piece, "kind"); !m.deaf[kind] {
			if result := m.mode(kind, m.do(piece)); result != nil {
				results = append(results, result)
			}
		}
	}
	if checkpoint := wire.Member(answer, "checkpoint"); checkpoint != nil && !m.deaf["witness"] {
		receipt, err := m.node.Witness(checkpoint, m.links(ctx, c, wire.Integer(wire.Member(checkpoint, "statement"), "sequence")))
		if err != nil {
			return results, nil // an older one than it has witnessed
		}
		results = append(results, m.mode("witness", wire.Object{"kind": "witness", "receipt": receipt}))
	}
	return results, nil
}

// links reads the links that the node has to replay.
func (m *mesh) links(ctx context.Context, c *api.Client, to int64) iter.Seq[wire.Link] {
	return func(yield func(wire.Link) bool) {
		for after := int64(m.node.Witnessed()); after < to; {
			page, err := c.Do(ctx, http.MethodGet, m.path(fmt.Sprintf("links?after=%d&to=%d", after, to)), nil)
			if err != nil || len(wire.List(page, "links")) == 0 {
				return
			}
			for _, element := range wire.List(page, "links") {
				if !yield(link(element.(wire.Object))) {
					return
				}
				after++
			}
		}
	}
}

func link(o wire.Object) wire.Link {
	hash := func(name string) wire.Hash {
		h, _ := wire.ParseHash(wire.Text(o, name)) // a zero hash does not fit
		return h
	}
	return wire.Link{Sequence: uint64(wire.Integer(o, "sequence")), Previous: hash("previous_hash"), Skip: hash("skip_hash"), Body: hash("body_sha256")}
}

// apply acknowledges the desired state of integrations.
func (m *mesh) apply(answer wire.Object) []any {
	var results []any
	for _, element := range wire.List(answer, "integrations") {
		o := element.(wire.Object)
		id, revision := wire.Text(o, "integration_id"), wire.Integer(o, "revision")
		if enabled, _ := o["enabled"].(bool); !enabled {
			revision = -revision
		}
		if m.integrations[id] == revision || m.deaf["integration"] {
			continue
		}
		m.integrations[id] = revision
		results = append(results, m.mode("integration", wire.Object{
			"kind": "integration", "integration_id": id, "revision": o["revision"], "state": "healthy",
		}))
	}
	return results
}

// do does a piece of work.
func (m *mesh) do(piece wire.Object) wire.Object {
	result := wire.Object{"kind": piece["kind"], "transaction_id": piece["transaction_id"]}
	c := rules.Case{
		TransactionID: wire.Text(piece, "transaction_id"), Terms: wire.Member(piece, "terms"),
		Approvals: envelopes(piece, "approvals"), Capability: envelopes(piece, "capability_evidence"),
	}
	switch piece["kind"] {
	case "observe":
		result["evidence"] = m.node.Observe(wire.Text(piece, "workload_profile"), wire.Text(piece, "capability"))
	case "approve":
		result["approval"] = m.node.Approve(c)
	case "decide":
		result["decision"] = m.node.Decide(c)
	case "request":
		result["csr"] = wire.Base64(m.request(c.TransactionID, wire.Texts(piece, "names")))
	case "deliver":
		result["status"] = "staged"
		if piece["promotion"] == "automatic_after_health" {
			result["status"] = "promoted"
		}
	case "promote":
		result["kind"], result["status"] = "deliver", "promoted"
	}
	return result
}

// request is the certificate request of a rotation, the same for the same one.
func (m *mesh) request(transactionID string, names []string) []byte {
	if m.keys[transactionID] == nil {
		csr, err := pki.Request(newKey(m.b.t), names)
		if err != nil {
			m.b.t.Error(err)
		}
		m.keys[transactionID] = csr
	}
	return m.keys[transactionID].([]byte)
}

func envelopes(o wire.Object, name string) []wire.Object {
	var list []wire.Object
	for _, element := range wire.List(o, name) {
		list = append(list, element.(wire.Object))
	}
	return list
}

// topics are the topics of the notices that the node got.
func (m *mesh) topics() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []string
	for i, notice := range m.notices {
		if got := wire.Integer(notice, "sequence"); i > 0 && got != wire.Integer(m.notices[i-1], "sequence")+1 {
			m.b.t.Errorf("node %s: notice %d after %d", m.id, got, wire.Integer(m.notices[i-1], "sequence"))
		}
		list = append(list, wire.Text(notice, "topic"))
	}
	return list
}

// set changes the node's behaviour.
func (m *mesh) set(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f()
}

var nodeIDs = []string{"mesh-berlin-1", "mesh-lisbon-1", "mesh-oslo-1"}

// fleet is a cloud with a policy and three nodes that are up.
func fleet(t testing.TB, change ...func(*service.Config)) (*bench, []*mesh) {
	t.Helper()
	b := start(t, change...)
	var nodes []*mesh
	for _, id := range nodeIDs {
		nodes = append(nodes, newMesh(b, id).enrol())
	}
	b.publish(1)
	for _, m := range nodes {
		m.up()
	}
	b.eventually("every node is up and has the policy", func() bool { return b.states("ok") == 3 })
	return b, nodes
}

// states counts the nodes in a state with the policy in force.
func (b *bench) states(state string) int {
	b.t.Helper()
	count := 0
	for _, element := range wire.List(b.overview(), "nodes") {
		n := element.(wire.Object)
		if wire.Text(n, "state") == state && wire.Integer(n, "version_lag") == 0 {
			count++
		}
	}
	return count
}

// trust is the trust file that a customer would make.
func (b *bench) trust(nodes []*mesh) wire.Object {
	b.t.Helper()
	keys := b.as(operator, http.MethodGet, "/api/v1/keys", nil)
	pins := wire.Object{}
	for _, m := range nodes {
		pins[m.id] = wire.Base64(m.node.Key().Public())
	}
	return wire.Object{
		"audit_keys": keys["audit_keys"], "protected_signer_keys": keys["protected_signer_keys"], "registries": keys["registries"],
		"nodes": pins, "minimum_audit_witnesses": int64(2),
	}
}

// isProblem reports whether an error is a problem of this code.
func isProblem(err error, code string) bool {
	var p *api.Problem
	return errors.As(err, &p) && p.Code == code
}

// has reports whether all of these are in a list, in this order.
func has(list []string, want ...string) bool {
	for _, w := range want {
		at := slices.Index(list, w)
		if at < 0 {
			return false
		}
		list = list[at+1:]
	}
	return true
}
