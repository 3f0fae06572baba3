// Package node is a Mesh Node, the customer's side of the service. It approves or denies
// issuance by its own copy of the policy, observes the capabilities of workloads, records
// everything that it signs in a signed journal, and witnesses checkpoints of the tenant log
// after it has replayed every link.
package node

import (
	"time"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/eventtype"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// How long a node's statements may be relied on.
const (
	approvalLifetime = time.Hour
	// CapabilityLifetime is how long capability evidence holds, unless a node is configured
	// otherwise.
	CapabilityLifetime = 24 * time.Hour
)

// Node is a Mesh Node. It is for use by one goroutine at a time.
type Node struct {
	*journal
	generation   int
	roster       *consent.Roster
	rosterAt     int64 // the version of the nodes in it, 0 before the first
	capabilities time.Duration
	policy       seal.Object
	synced       int64      // the version taken over last, 0 before the first
	witnessed    *witnessed // belongs to the node, not to a key generation
}

// Config is the configuration of a node that lives on.
type Config struct {
	ID string
	// Roster holds the keys that the node judges by. It is the node's own: the rosters that
	// the node adopts go into it.
	Roster *consent.Roster
	Clock  chance.Clock
	Salts  *chance.Stream
	Key    seal.Key // that the node signs with now
	// CapabilityLifetime is how long capability evidence of the node holds.
	CapabilityLifetime time.Duration
	// Keep is given each event of the journal as soon as it is signed. The node
	// does not keep it.
	Keep func(event seal.Object)
}

// Start returns a node with an empty journal.
func Start(c Config) *Node {
	return &Node{
		journal: &journal{id: c.ID, key: c.Key, clock: c.Clock, stream: c.Salts, keep: c.Keep,
			log: seal.NewLog(c.Roster.TenantID, "node/"+c.ID)},
		roster: c.Roster, capabilities: c.CapabilityLifetime,
		witnessed: newWitnessed(c.Roster.TenantID, "tenant/"+c.Roster.TenantID),
	}
}

// New returns a node of a scene: its keys and salts follow from the source, and
// it keeps its own journal.
func New(id string, roster *consent.Roster, clock chance.Clock, source chance.Source) *Node {
	n := Start(Config{
		ID: id, Roster: roster, Clock: clock, Salts: source.Stream("node " + id + " salts"),
		CapabilityLifetime: CapabilityLifetime,
	})
	n.keep = func(event seal.Object) { n.events = append(n.events, event) }
	n.generation = 1
	n.key = n.newKey(source)
	return n
}

// newKey makes the key of the node's generation.
func (n *Node) newKey(source chance.Source) seal.Key {
	id := consent.KeyID(n.id, n.generation)
	return seal.Key{ID: id, Private: source.Stream("node key " + id).Ed25519()}
}

// Rotate replaces the key of a node that New made by the next generation.
func (n *Node) Rotate(source chance.Source) seal.Key {
	n.generation++
	next := n.newKey(source)
	n.RotateTo(next)
	return next
}

// RotateTo replaces the node's key. The old key signs the event that names the
// new one.
func (n *Node) RotateTo(next seal.Key) {
	n.Note(eventtype.IdentityRotated, "", seal.Object{
		"key_id": next.ID, "public_key": seal.Base64(next.Public()),
	})
	n.key = next
	n.roster.Nodes[next.ID] = next.Public()
}

// Observe signs that the node has seen a workload of the profile have the
// capability, SPEC 7.7.
func (n *Node) Observe(profile, capability string) seal.Object {
	now := n.clock.Next()
	evidence := seal.Seal(seal.Object{
		"protocol":         "svc.capability-evidence.v1",
		"tenant_id":        n.roster.TenantID,
		"node_id":          n.id,
		"workload_profile": profile,
		"capability":       capability,
		"observed_at":      seal.Time(now),
		"expires_at":       seal.Time(now.Add(n.capabilities)),
	}, n.key)
	n.Note(eventtype.CapabilityObserved, "", seal.Object{
		"capability_evidence_sha256": seal.StatementDigest(evidence),
	})
	return evidence
}
