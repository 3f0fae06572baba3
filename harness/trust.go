package harness

import (
	"crypto/ed25519"
	"crypto/sha256"
	"strconv"

	"github.com/svc-edge/svc-verify/harness/seal"
)

// Trust is the trust file that a customer would make of this world, SPEC 2.1:
// every key that was ever in force, and a pin for every registry.
func (w *World) Trust() seal.Object {
	registries := seal.Object{}
	for _, registry := range w.registries {
		sum := sha256.Sum256(seal.Canonical(registry))
		registries[strconv.FormatInt(seal.Integer(registry, "generation"), 10)] = seal.Base64(sum[:])
	}
	return seal.Object{
		"audit_keys":              publicKeys(w.roster.Audit),
		"protected_signer_keys":   publicKeys(w.roster.Signers),
		"registries":              registries,
		"nodes":                   publicKeys(w.roster.Nodes),
		"minimum_audit_witnesses": w.settings.MinimumWitnesses,
	}
}

func publicKeys(keys map[string]ed25519.PublicKey) seal.Object {
	section := seal.Object{}
	for id, key := range keys {
		section[id] = seal.Base64(key)
	}
	return section
}
