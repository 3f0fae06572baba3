package server

import (
	"crypto/ed25519"

	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/eventtype"
	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/form"
	"github.com/svc-edge/svc-verify/service/httpd"
)

// enrol accepts a key of a node: its first, or the next generation.
func (ns *nodes) enrol(c *call) (seal.Object, error) {
	f := readFields(c.Body)
	envelope := f.Object("enrolment")
	if err := f.close(); err != nil {
		return nil, err
	}
	statement, keyID, public, err := ns.enrolment(envelope, c.PathValue("id"))
	if err != nil {
		return nil, err
	}
	err = ns.update(func() error {
		n := ns.byID[c.PathValue("id")]
		if n == nil {
			n = &node{id: c.PathValue("id"), keys: map[string]ed25519.PublicKey{}}
		}
		if n.disabled {
			return httpd.Forbidden("node %s is disabled", n.id)
		}
		if known := n.keys[keyID]; known != nil {
			if !known.Equal(public) {
				return conflictError("another key is known as %s", keyID)
			}
			return nil
		}
		if err := ns.admitKey(n, envelope, public); err != nil {
			return err
		}
		ns.enterKey(n, seal.Text(statement, "key_id"), public)
		return nil
	})
	return seal.Object{}, err
}

// enrolment reads the statement of an enrolment.
func (ns *nodes) enrolment(envelope seal.Object, id string) (statement seal.Object, keyID string,
	public ed25519.PublicKey, err error) {
	statement = seal.Member(envelope, "statement")
	f := readFields(statement)
	f.Word("protocol", "svc.node-enrolment.v1")
	f.Word("tenant_id", ns.config.TenantID)
	f.Word("node_id", id)
	keyID = f.Text("key_id", form.Identifier)
	f.Text("enrolled_at", form.Sentence)
	text := f.Text("public_key", form.Octets)
	if err := f.close(); err != nil {
		return nil, "", nil, err
	}
	if public, err = pki.ParsePublicKey(text); err != nil || consent.NodeOf(keyID) != id || !form.SubjectID.Is(id) {
		return nil, "", nil, httpd.Invalid("expected a sound key of a generation of a node with a subject id")
	}
	return statement, keyID, public, nil
}

// admitKey checks that a key is the next generation of the node, that the one
// before it vouches for it, and that no one else has it.
func (ns *nodes) admitKey(n *node, envelope seal.Object, public ed25519.PublicKey) error {
	keyID, by := consent.KeyID(n.id, len(n.keys)+1), consent.KeyID(n.id, max(1, len(n.keys)))
	statement := seal.Member(envelope, "statement")
	if found := seal.Text(statement, "key_id"); found != keyID {
		return conflictError("expected the key %s, found %s", keyID, found)
	}
	voucher := public
	if len(n.keys) > 0 {
		voucher = n.keys[by]
	}
	signed := seal.Signed(seal.Text(statement, "protocol"), seal.Canonical(statement), voucher,
		seal.Text(envelope, "signature"))
	if seal.Text(envelope, "key_id") != by || !signed {
		return httpd.Forbidden("expected an enrolment that the key %s signed", by)
	}
	for id, key := range ns.roster.Nodes {
		if key.Equal(public) {
			return conflictError("the key is known as %s", id)
		}
	}
	return nil
}

// enterKey enters a key into the node, the roster and the log.
func (ns *nodes) enterKey(n *node, keyID string, public ed25519.PublicKey) {
	n.keys[keyID] = public
	ns.byID[n.id] = n
	ns.roster.Nodes[keyID] = public
	if len(n.keys) == 1 {
		ns.cloud.Enrol(n.id, public)
	} else {
		ns.cloud.Note(eventtype.KeyRotated, seal.Object{"role": "node", "key_id": keyID,
			"public_key": seal.Base64(public)})
	}
	ns.put(kindNode, n.id, n.document())
	ns.publishRoster()
}

// publishRoster signs the next version of the list of all nodes' keys.
func (ns *nodes) publishRoster() {
	ns.published = seal.Seal(seal.Object{
		"protocol": "svc.node-roster.v1", "tenant_id": ns.config.TenantID,
		"roster_version": versionOf(ns.published, "roster_version") + 1,
		"published_at":   seal.Time(ns.now()), "nodes": seal.PublicKeys(ns.roster.Nodes),
	}, ns.policyKey)
	ns.put(kindState, stateRoster, ns.published)
}
