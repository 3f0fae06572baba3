// Package node is a Mesh Node, the customer's side of the service. It approves
// or denies issuance by its own copy of the policy, observes what workloads
// can do, keeps a signed journal of all that it signed, and witnesses
// checkpoints of the tenant log once it has replayed every link.
package node

import (
	"fmt"
	"strconv"
	"time"

	"github.com/svc-edge/svc-verify/harness/rules"
	"github.com/svc-edge/svc-verify/harness/seed"
	"github.com/svc-edge/svc-verify/harness/wire"
)

// How long what a node says may be relied on.
const (
	approvalLifetime   = time.Hour
	capabilityLifetime = 24 * time.Hour
)

// Node is a Mesh Node.
type Node struct {
	id         string
	generation int
	key        wire.Key
	roster     *rules.Roster
	clock      *seed.Clock
	stream     *seed.Stream // salts
	log        *wire.Log
	journal    []wire.Object
	policy     wire.Object
	witnessed  *witnessed // belongs to the node, not to a key generation
}

// New returns a node with the first generation of its key and an empty
// journal. It judges by the keys of the roster.
func New(id string, roster *rules.Roster, clock *seed.Clock, source seed.Source) *Node {
	n := &Node{
		id: id, generation: 1, roster: roster, clock: clock,
		stream: source.Stream("node " + id + " salts"),
		log:    wire.NewLog(roster.TenantID, "node/"+id),
	}
	n.key = n.newKey(source)
	n.witnessed = newWitnessed(roster.TenantID, "tenant/"+roster.TenantID)
	return n
}

// newKey makes the key of the node's generation, SPEC 2.3: the first is named
// after the node, later ones carry their number.
func (n *Node) newKey(source seed.Source) wire.Key {
	id := n.id
	if n.generation > 1 {
		id += "/" + strconv.Itoa(n.generation)
	}
	return wire.Key{ID: id, Private: source.Stream("node key " + id).Ed25519()}
}

// ID is the node's identifier.
func (n *Node) ID() string { return n.id }

// Key is the key that the node signs with now.
func (n *Node) Key() wire.Key { return n.key }

// Journal is every event of the node so far, from sequence 1.
func (n *Node) Journal() []wire.Object { return n.journal }

// Rotate replaces the node's key by the next generation. The old key signs the
// event that names the new one.
func (n *Node) Rotate(source seed.Source) wire.Key {
	n.generation++
	next := n.newKey(source)
	n.record("identity.rotated", "", wire.Object{
		"key_id": next.ID, "public_key": wire.Base64(next.Public()),
	})
	n.key = next
	return next
}

// SyncPolicy takes over a newer policy.
func (n *Node) SyncPolicy(policy wire.Object) error {
	if found, have := wire.Integer(policy, "version"), wire.Integer(n.policy, "version"); found <= have {
		return fmt.Errorf("policy version: expected one after %d, found %d", have, found)
	}
	n.policy = policy
	n.record("policy.synced", "", wire.Object{
		"policy_version": wire.Integer(policy, "version"), "policy_sha256": wire.Digest(policy),
	})
	return nil
}

// Observe signs that the node has seen a workload of the profile have the
// capability, SPEC 7.7.
func (n *Node) Observe(profile, capability string) wire.Object {
	now := n.clock.Next()
	evidence := wire.Seal(wire.Object{
		"protocol":         "svc.capability-evidence.v1",
		"tenant_id":        n.roster.TenantID,
		"node_id":          n.id,
		"workload_profile": profile,
		"capability":       capability,
		"observed_at":      wire.Time(now),
		"expires_at":       wire.Time(now.Add(capabilityLifetime)),
	}, n.key)
	n.record("capability.observed", "", wire.Object{
		"capability_evidence_sha256": wire.StatementDigest(evidence),
	})
	return evidence
}

// Report is the link of the node's newest event and the node's own signature
// of it: the data of a node.reported event, SPEC 4.4. It fails while the journal
// is empty.
func (n *Node) Report() (wire.Object, error) {
	if len(n.journal) == 0 {
		return nil, fmt.Errorf("node %s: the journal is empty", n.id)
	}
	head := n.journal[len(n.journal)-1]
	link := n.log.Link(n.log.Sequence())
	return wire.Object{
		"node_id":        n.id,
		"audit_sequence": int64(link.Sequence),
		"audit_head":     link.Hash().String(),
		"previous_hash":  link.Previous.String(),
		"skip_hash":      link.Skip.String(),
		"body_sha256":    link.Body.String(),
		"key_id":         head["key_id"],
		"signature":      head["signature"],
	}, nil
}

// record appends an event to the journal.
func (n *Node) record(eventType, transactionID string, data wire.Object) {
	n.journal = append(n.journal, n.log.Append(wire.Entry{
		Type:          eventType,
		TransactionID: transactionID,
		OccurredAt:    n.clock.Next(),
		Salt:          n.stream.Salt(),
		Data:          data,
	}, n.key))
}
