package node

import (
	"crypto/ed25519"
	"fmt"

	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/eventtype"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// SyncPolicy adopts a newer policy.
func (n *Node) SyncPolicy(policy seal.Object) error {
	found := seal.Integer(policy, "version")
	if found <= n.synced {
		return fmt.Errorf("policy version: expected one after %d, found %d", n.synced, found)
	}
	n.policy, n.synced = policy, found
	n.Note(eventtype.PolicySynced, "", seal.Object{
		"policy_version": seal.Integer(policy, "version"), "policy_sha256": seal.Digest(policy),
	})
	return nil
}

// TakePolicy adopts a newer policy from its envelope, svc.policy.v1, which a policy key of the
// roster has signed.
func (n *Node) TakePolicy(envelope seal.Object) error {
	policy, err := n.openPolicy(envelope)
	if err != nil {
		return fmt.Errorf("policy: %w", err)
	}
	return n.SyncPolicy(policy)
}

func (n *Node) openPolicy(envelope seal.Object) (seal.Object, error) {
	statement, err := n.roster.Open(envelope, "svc.policy.v1")
	if err != nil {
		return nil, err
	}
	policy := seal.Member(statement, "policy")
	if said, found := seal.Integer(statement, "policy_version"), seal.Integer(policy, "version"); found != said {
		return nil, fmt.Errorf("version: expected %d, as the statement says, found %d", said, found)
	}
	return policy, nil
}

// PolicyVersion is the version of the policy that the node judges by, 0 before
// the first.
func (n *Node) PolicyVersion() int64 { return seal.Integer(n.policy, "version") }

// PolicyDigest is the digest of the policy that the node judges by, empty before
// the first.
func (n *Node) PolicyDigest() string {
	if n.policy == nil {
		return ""
	}
	return seal.Digest(n.policy)
}

// CheckNames checks that the policy that the node judges by allows the names to a
// profile.
func (n *Node) CheckNames(profile string, names []string) error {
	return consent.CheckNames(seal.Member(seal.Member(n.policy, "profiles"), profile), names)
}

// RosterVersion is the version of the roster that the node took over last, 0
// before the first.
func (n *Node) RosterVersion() int64 { return n.rosterAt }

// TakeRoster adopts a newer roster of the tenant's nodes from its envelope,
// svc.node-roster.v1, which a policy key has signed. It changes nothing if the roster gives a
// known key id another key, one key to two nodes, or not the node's own key.
func (n *Node) TakeRoster(envelope seal.Object) error {
	statement, err := n.roster.Open(envelope, "svc.node-roster.v1")
	if err != nil {
		return fmt.Errorf("roster: %w", err)
	}
	version := seal.Integer(statement, "roster_version")
	if version <= n.rosterAt {
		return fmt.Errorf("roster version: expected one after %d, found %d", n.rosterAt, version)
	}
	nodes, err := n.readNodes(seal.Member(statement, "nodes"))
	if err != nil {
		return fmt.Errorf("roster: %w", err)
	}
	n.roster.Nodes, n.rosterAt = nodes, version
	return nil
}

// readNodes reads the keys of a roster; the node's own generations are always
// among them.
func (n *Node) readNodes(members seal.Object) (map[string]ed25519.PublicKey, error) {
	nodes := map[string]ed25519.PublicKey{}
	holders := map[string]string{}
	for id, public := range n.roster.Nodes {
		if consent.NodeOf(id) == n.id {
			nodes[id], holders[string(public)] = public, n.id
		}
	}
	for id := range members {
		public, err := seal.Unbase64(seal.Text(members, id))
		if err != nil || len(public) != ed25519.PublicKeySize {
			return nil, fmt.Errorf("nodes: %q: expected an Ed25519 public key", id)
		}
		if known, ok := n.roster.Nodes[id]; ok && !known.Equal(ed25519.PublicKey(public)) {
			return nil, fmt.Errorf("nodes: %q has another key than the one that is known", id)
		}
		holder := consent.NodeOf(id)
		if other, taken := holders[string(public)]; taken && other != holder {
			return nil, fmt.Errorf("nodes: %q has the key of %s", id, other)
		}
		if holder == n.id && nodes[id] == nil {
			return nil, fmt.Errorf("nodes: %q is no key of this node", id)
		}
		nodes[id], holders[string(public)] = public, holder
	}
	return nodes, nil
}
