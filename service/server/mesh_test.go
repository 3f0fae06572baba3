package server_test

import (
	"context"
	"crypto/ed25519"
	"errors"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/node"
	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/httpd"
	"github.com/svc-edge/svc-verify/service/server"
)

// mesh is a small node that speaks the protocol. Package node is its
// judgement; its state is in memory, and outlives the cloud.
type mesh struct {
	b      *bench
	id     string
	source chance.Source
	cancel context.CancelFunc
	ended  chan struct{}

	mu           sync.Mutex
	node         *node.Node
	journal      []seal.Object
	notices      []seal.Object
	after        int64 // the last notice
	version      int64 // of the registrations
	services     []any
	integrations map[string]int64       // revisions that were acknowledged, negative for tombstones
	keys         map[string]any         // of rotations, by transaction
	intents      map[string]seal.Object // of rotations, by transaction
	refused      []seal.Object
	status       string
	deaf         map[string]bool // kinds of work that it does not do
	mode         func(kind string, result seal.Object) seal.Object
}

func newMesh(b *bench, id string) *mesh {
	b.t.Helper()
	keys := must.Get(server.MakeKeys(b.config.Dir))(b.t)
	m := &mesh{
		b: b, id: id, source: chance.Fresh(), status: "ok",
		integrations: map[string]int64{}, keys: map[string]any{}, intents: map[string]seal.Object{}, deaf: map[string]bool{},
		mode: func(_ string, result seal.Object) seal.Object { return result },
	}
	roster := consent.NewRoster(tenant)
	for section, to := range map[string]map[string]ed25519.PublicKey{
		"audit_keys": roster.Audit, "policy_keys": roster.Policies,
	} {
		for id := range seal.Member(keys, section) {
			to[id] = must.Get(pki.ParsePublicKey(seal.Text(seal.Member(keys, section), id)))(b.t)
		}
	}
	key := seal.Key{ID: id, Private: m.source.Stream("key").Ed25519()}
	roster.Nodes[id] = key.Public()
	m.node = node.Start(node.Config{
		ID: id, Roster: roster, Clock: b.clock, Salts: m.source.Stream("salts"), Key: key,
		CapabilityLifetime: time.Hour, Keep: func(event seal.Object) { m.journal = append(m.journal, event) },
	})
	return m
}

// enrolment is the statement by which a key enrols, signed by another.
func enrolment(next, by seal.Key) seal.Object {
	return seal.Object{"enrolment": seal.Seal(seal.Object{
		"protocol": "svc.node-enrolment.v1", "tenant_id": tenant, "node_id": consent.NodeOf(next.ID), "key_id": next.ID,
		"public_key": seal.Base64(next.Public()), "enrolled_at": seal.Time(time.Now()),
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
func (m *mesh) position(wait int64) seal.Object {
	m.mu.Lock()
	defer m.mu.Unlock()
	o := seal.Object{
		"policy_version": m.node.PolicyVersion(), "roster_version": m.node.RosterVersion(),
		"witnessed":     int64(m.node.Witnessed()),
		"notices_after": m.after, "registrations_version": m.version, "wait_seconds": wait,
		"health": seal.Object{"status": m.status, "node_id": m.id},
	}
	if report, err := m.node.Report(); err == nil {
		o["report"] = report
	}
	return o
}

// round is one poll and its consequences.
func (m *mesh) round(ctx context.Context, c *httpd.Client) error {
	answer, err := c.Poll(ctx, 30*time.Second, http.MethodPost, m.path("sync"), m.position(1))
	if err != nil {
		return err
	}
	results, err := m.work(ctx, c, answer)
	if err != nil || len(results) == 0 {
		return err
	}
	taken, err := c.Do(ctx, http.MethodPost, m.path("results"), seal.Object{"results": results})
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil {
		clear(m.integrations) // they may have been lost, so they are said again
	}
	m.refused = append(m.refused, seal.ObjectList(taken, "refused")...)
	return err
}

// topics are the topics of the notices that the node got.
func (m *mesh) topics() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []string
	for i, notice := range m.notices {
		if got := seal.Integer(notice, "sequence"); i > 0 && got != seal.Integer(m.notices[i-1], "sequence")+1 {
			m.b.t.Errorf("node %s: notice %d after %d", m.id, got, seal.Integer(m.notices[i-1], "sequence"))
		}
		list = append(list, seal.Text(notice, "topic"))
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

// enrolled are nodes that have enrolled and done nothing else.
func (b *bench) enrolled() (nodes []*mesh) {
	b.t.Helper()
	for _, id := range nodeIDs {
		nodes = append(nodes, newMesh(b, id).enrol())
	}
	return nodes
}

// fleet is a cloud with a policy and three nodes that are up.
func fleet(t testing.TB, change ...func(*server.Config)) (*bench, []*mesh) {
	t.Helper()
	b := start(t, change...)
	nodes := b.enrolled()
	b.publish(1)
	for _, m := range nodes {
		m.up()
	}
	must.Eventually(b.t, "every node is up and has the policy", func() bool { return b.states("ok") == 3 })
	return b, nodes
}

// states counts the nodes in a state with the policy in force.
func (b *bench) states(state string) int {
	b.t.Helper()
	count := 0
	for _, n := range seal.ObjectList(b.overview(), "nodes") {
		if seal.Text(n, "state") == state && seal.Integer(n, "version_lag") == 0 {
			count++
		}
	}
	return count
}

// trust is the trust file that a customer would make.
func (b *bench) trust(nodes []*mesh) seal.Object {
	b.t.Helper()
	keys := b.as(operator, http.MethodGet, "/api/v1/keys", nil)
	pins := seal.Object{}
	for _, m := range nodes {
		pins[m.id] = seal.Base64(m.node.Key().Public())
	}
	return seal.Object{
		"audit_keys": keys["audit_keys"], "protected_signer_keys": keys["protected_signer_keys"],
		"registries": keys["registries"],
		"nodes":      pins, "minimum_audit_witnesses": int64(2),
	}
}

// isProblem reports whether an error is a problem of this code.
func isProblem(err error, code string) bool {
	var p *httpd.Problem
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
