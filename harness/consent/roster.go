package consent

import (
	"crypto/ed25519"
	"fmt"
	"slices"
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
// roster's tenant, and signed by a known key of the role that may, SPEC 3.3. Further
// arguments are texts that the statement must have, each behind its name.
func (r *Roster) Open(envelope seal.Object, protocol string, want ...string) (seal.Object, error) {
	statement := seal.Member(envelope, "statement")
	want = append([]string{"protocol", protocol, "tenant_id", r.TenantID}, want...)
	keyID := seal.Text(envelope, "key_id")
	keys, byNode := r.keysFor(statement)
	if byNode {
		want = append(want, "node_id", NodeOf(keyID))
	}
	for pair := range slices.Chunk(want, 2) {
		if found := seal.Text(statement, pair[0]); found != pair[1] {
			return nil, fmt.Errorf("%s: expected %s, found %q", pair[0], pair[1], found)
		}
	}
	public, ok := keys[keyID]
	if !ok {
		return nil, fmt.Errorf("key_id: %q is no key that may sign %s", keyID, protocol)
	}
	if !seal.Signed(protocol, seal.Canonical(statement), public, seal.Text(envelope, "signature")) {
		return nil, fmt.Errorf("signature: it is not by the key %s", keyID)
	}
	return statement, nil
}

// keysFor returns the keys of the one role that may sign the statement, SPEC 3.3, and reports
// whether it is the role of nodes. Enrolments, policies, rosters and intents stay between the node
// and its cloud, and are in no evidence.
func (r *Roster) keysFor(statement seal.Object) (keys map[string]ed25519.PublicKey, byNode bool) {
	switch seal.Text(statement, "protocol") {
	case "svc.approval.v1", "svc.capability-evidence.v1", "svc.witness-receipt.v1", "svc.node-enrolment.v1":
		return r.Nodes, true
	case "svc.decision.v1":
		switch seal.Text(statement, "trust_domain") {
		case "customer":
			return r.Nodes, true
		case "service":
			return r.Audit, false
		}
	case "svc.audit-checkpoint.v1", "svc.audit-checkpoint.v0", "svc.evidence-status.v1":
		return r.Audit, false
	case "svc.signer-receipt.v1", "svc.revocation-receipt.v1":
		return r.Signers, false
	case "svc.policy.v1", "svc.node-roster.v1", "svc.rotation-intent.v1":
		return r.Policies, false
	}
	return nil, false
}
