package harness

import (
	"crypto"
	"fmt"

	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/wire"
)

// Keys is every private key of a scene.
type Keys struct {
	Audit    map[string]wire.Key      // by key id
	Signer   map[string]wire.Key      // by key id
	Node     map[string]wire.Key      // by key id: a node id, or <node id>/<generation>
	Issuer   map[string]*pki.Issuer   // by common name
	Workload map[string]crypto.Signer // by transaction id
}

func newKeys() Keys {
	return Keys{
		Audit:    map[string]wire.Key{},
		Signer:   map[string]wire.Key{},
		Node:     map[string]wire.Key{},
		Issuer:   map[string]*pki.Issuer{},
		Workload: map[string]crypto.Signer{},
	}
}

// auditKey makes the audit key of the world's generation and enters it.
func (w *World) auditKey() wire.Key {
	key := w.newKey(fmt.Sprintf("audit-2026-%d", w.generation))
	w.Keys.Audit[key.ID] = key
	w.roster.Audit[key.ID] = key.Public()
	return key
}

// signerKey makes the receipt key of the world's generation and enters it.
func (w *World) signerKey() wire.Key {
	key := w.newKey(fmt.Sprintf("signer-2026-%d", w.generation))
	w.Keys.Signer[key.ID] = key
	w.roster.Signers[key.ID] = key.Public()
	return key
}

func (w *World) enterNode(key wire.Key) {
	w.Keys.Node[key.ID] = key
	w.roster.Nodes[key.ID] = key.Public()
}

func (w *World) newKey(id string) wire.Key {
	return wire.Key{ID: id, Private: w.source.Stream("key " + id).Ed25519()}
}
