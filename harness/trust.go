package harness

import (
	"github.com/svc-edge/svc-verify/harness/seal"
)

// Trust is the trust file that a customer would make of this world, SPEC 2.1:
// every key that was ever in force, and a pin for every registry.
func (w *World) Trust() seal.Object {
	return seal.Object{
		"audit_keys":              seal.PublicKeys(w.roster.Audit),
		"protected_signer_keys":   seal.PublicKeys(w.roster.Signers),
		"registries":              seal.RegistryPins(w.registries),
		"nodes":                   seal.PublicKeys(w.roster.Nodes),
		"minimum_audit_witnesses": w.settings.MinimumWitnesses,
	}
}
