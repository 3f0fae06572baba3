package server

import (
	"crypto/ed25519"
	"crypto/sha256"
	"path/filepath"

	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// Ids of the keys that a cloud has from its start.
const (
	auditKeyID  = "audit-1"
	policyKeyID = "policy-1"
)

// Names of the key files in the state directory.
const (
	auditFile  = "audit.key"
	policyFile = "policy.key"
	signerFile = "signer.keys"
)

// PublicKeys is what others pin of a cloud, by key id: nodes the audit and the
// policy keys (service/docs/node-config.md), verifiers the audit and the signer keys
// and the registries (SPEC 2.1).
type PublicKeys struct {
	Audit, Policies, Signers map[string]ed25519.PublicKey
	Registries               map[string][sha256.Size]byte // by generation
}

// Document is the keys as they stand in a configuration and in a trust file.
func (k PublicKeys) Document() seal.Object {
	registries := seal.Object{}
	for generation, pin := range k.Registries {
		registries[generation] = seal.Base64(pin[:])
	}
	return seal.Object{
		"audit_keys": keySection(k.Audit), "policy_keys": keySection(k.Policies),
		"protected_signer_keys": keySection(k.Signers), "registries": registries,
	}
}

// keySection is keys by their ids, as a trust file has them.
func keySection(keys map[string]ed25519.PublicKey) seal.Object {
	o := seal.Object{}
	for id, key := range keys {
		o[id] = seal.Base64(key)
	}
	return o
}

// MakeKeys makes the audit and the policy key of a state directory, if they are
// not there yet, and returns their public halves: what nodes pin before the
// cloud has ever run.
func MakeKeys(dir string) (PublicKeys, error) {
	audit, err := privateKey(filepath.Join(dir, auditFile), auditKeyID)
	if err != nil {
		return PublicKeys{}, err
	}
	policy, err := privateKey(filepath.Join(dir, policyFile), policyKeyID)
	if err != nil {
		return PublicKeys{}, err
	}
	return PublicKeys{
		Audit:    map[string]ed25519.PublicKey{audit.ID: audit.Public()},
		Policies: map[string]ed25519.PublicKey{policy.ID: policy.Public()},
	}, nil
}

// privateKey returns the key of a file, which it makes if it is not there.
func privateKey(path, id string) (seal.Key, error) {
	private, err := pki.OpenKey(path)
	return seal.Key{ID: id, Private: private}, err
}
