package harness

import (
	"crypto/ed25519"
	"crypto/sha256"
	"strconv"

	"github.com/svc-edge/svc-verify/harness/wire"
)

// Trust is the trust file that a customer would make of this world, SPEC 2.1:
// every key that was ever in force, and a pin for every registry.
func (w *World) Trust() wire.Object {
	registries := wire.Object{}
	for _, registry := range w.registries {
		sum := sha256.Sum256(wire.Canonical(registry))
		registries[strconv.FormatInt(wire.Integer(registry, "generation"), 10)] = wire.Base64(sum[:])
	}
	return wire.Object{
		"audit_keys":              publicKeys(w.roster.Audit),
		"protected_signer_keys":   publicKeys(w.roster.Signers),
		"registries":              registries,
		"nodes":                   publicKeys(w.roster.Nodes),
		"minimum_audit_witnesses": w.settings.MinimumWitnesses,
	}
}

func publicKeys(keys map[string]ed25519.PublicKey) wire.Object {
	section := wire.Object{}
	for id, key := range keys {
		section[id] = wire.Base64(key)
	}
	return section
}
