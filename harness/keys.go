package harness

import (
	"crypto"
	"fmt"

	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// Keys is every private key of a scene.
type Keys struct {
	Audit    map[string]seal.Key      // by key id
	Signer   map[string]seal.Key      // by key id
	Node     map[string]seal.Key      // by key id: a node id, or <node id>/<generation>
	Issuer   map[string]*pki.Issuer   // by common name
	Workload map[string]crypto.Signer // by transaction id
}

func newKeys() Keys {
	return Keys{
		Audit:    map[string]seal.Key{},
		Signer:   map[string]seal.Key{},
		Node:     map[string]seal.Key{},
		Issuer:   map[string]*pki.Issuer{},
		Workload: map[string]crypto.Signer{},
	}
}

// auditKey makes the audit key of the world's generation and enters it.
func (w *World) auditKey() seal.Key {
	key := w.newKey(fmt.Sprintf("audit-2026-%d", w.generation))
	w.Keys.Audit[key.ID] = key
	w.roster.Audit[key.ID] = key.Public()
	return key
}

// signerKey makes the receipt key of the world's generation and enters it.
func (w *World) signerKey() seal.Key {
	key := w.newKey(fmt.Sprintf("signer-2026-%d", w.generation))
	w.Keys.Signer[key.ID] = key
	w.roster.Signers[key.ID] = key.Public()
	return key
}

func (w *World) enterNode(key seal.Key) {
	w.Keys.Node[key.ID] = key
	w.roster.Nodes[key.ID] = key.Public()
}

func (w *World) newKey(id string) seal.Key {
	return seal.Key{ID: id, Private: w.source.Stream("key " + id).Ed25519()}
}
