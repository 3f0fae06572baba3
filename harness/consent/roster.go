package consent

import (
	"crypto/ed25519"
	"fmt"
	"strconv"
	"strings"

	"github.com/svc-edge/svc-verify/harness/seal"
)

// Roster is the keys that an actor accepts, by role and key id. Retired keys stay in it, since
// their signatures stay valid.
type Roster struct {
	TenantID string
	Audit    map[string]ed25519.PublicKey
	Signers  map[string]ed25519.PublicKey
	Nodes    map[string]ed25519.PublicKey // by node id, or <node id>/<generation>
	Policies map[string]ed25519.PublicKey // the tenant's own, which sign policies and rosters
}

// NewRoster returns a roster without keys.
func NewRoster(tenantID string) *Roster {
	return &Roster{
		TenantID: tenantID,
		Audit:    map[string]ed25519.PublicKey{},
		Signers:  map[string]ed25519.PublicKey{},
		Nodes:    map[string]ed25519.PublicKey{},
		Policies: map[string]ed25519.PublicKey{},
	}
}

// NodeOf is the node that a key id belongs to, SPEC 2.3.
func NodeOf(keyID string) string {
	node, _, _ := strings.Cut(keyID, "/")
	return node
}

// KeyID is the id of a generation of a node's key, SPEC 2.3: the first is named
// after the node, later ones carry their number.
func KeyID(nodeID string, generation int) string {
	if generation == 1 {
		return nodeID
	}
	return nodeID + "/" + strconv.Itoa(generation)
}

// Open returns an envelope's statement if it is of the protocol, about the
// roster's tenant, and signed by a known key of the role that may, SPEC 3.3.
func (r *Roster) Open(envelope seal.Object, protocol string) (seal.Object, error) {
	statement := seal.Member(envelope, "statement")
	if found := seal.Text(statement, "protocol"); found != protocol {
		return nil, fmt.Errorf("protocol: expected %s, found %q", protocol, found)
	}
	if found := seal.Text(statement, "tenant_id"); found != r.TenantID {
		return nil, fmt.Errorf("tenant_id: expected %s, found %q", r.TenantID, found)
	}
	keyID := seal.Text(envelope, "key_id")
	by := roleOf(statement)
	public, ok := r.keysOf(by)[keyID]
	if !ok {
		return nil, fmt.Errorf("key_id: %q is no key that may sign %s", keyID, protocol)
	}
	if !seal.Signed(protocol, seal.Canonical(statement), public, seal.Text(envelope, "signature")) {
		return nil, fmt.Errorf("signature: it is not by the key %s", keyID)
	}
	if found := seal.Text(statement, "node_id"); by == node && found != NodeOf(keyID) {
		return nil, fmt.Errorf("node_id: expected %s, whose key signed, found %q", NodeOf(keyID), found)
	}
	return statement, nil
}

type role int

const (
	nobody role = iota
	audit
	signer
	node
	policy
)

// keysOf returns the keys of a role.
func (r *Roster) keysOf(of role) map[string]ed25519.PublicKey {
	switch of {
	case audit:
		return r.Audit
	case signer:
		return r.Signers
	case node:
		return r.Nodes
	case policy:
		return r.Policies
	}
	return nil
}

// roleOf is the one role that may sign the statement, SPEC 3.3. The last
// protocols, from the enrolment on, stay between the node and its cloud, and are in no evidence.
func roleOf(statement seal.Object) role {
	switch seal.Text(statement, "protocol") {
	case "svc.approval.v1", "svc.capability-evidence.v1", "svc.witness-receipt.v1":
		return node
	case "svc.decision.v1":
		switch seal.Text(statement, "trust_domain") {
		case "customer":
			return node
		case "service":
			return audit
		}
	case "svc.audit-checkpoint.v1", "svc.audit-checkpoint.v0", "svc.evidence-status.v1":
		return audit
	case "svc.signer-receipt.v1", "svc.revocation-receipt.v1":
		return signer
	case "svc.node-enrolment.v1":
		return node
	case "svc.policy.v1", "svc.node-roster.v1", "svc.rotation-intent.v1":
		return policy
	}
	return nobody
}
