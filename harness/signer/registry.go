package signer

import (
	"fmt"
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
)

// Algorithms are all the subject key algorithms of terms, SPEC 7.2, ascending.
var Algorithms = []string{"ecdsa-p256", "ecdsa-p384", "ed25519", "rsa-2048", "rsa-3072", "rsa-4096"}

// nextRegistry makes the signer's next registry generation, SPEC 7.8. The issuers are named by
// the digests of their keys; retired ones stay, so that their certificates can be revoked.
func (s *Signer) nextRegistry(algorithms []string, at time.Time) seal.Object {
	issuerKeys := make([]string, len(s.authorities))
	for i, issuer := range s.authorities {
		issuerKeys[i] = issuer.KeyDigest()
	}
	return seal.Object{
		"protocol":   "svc.signer-registry.v1",
		"generation": seal.Integer(s.registry, "generation") + 1,
		"created_at": seal.Time(at),
		"signers": []any{seal.Object{
			"key_id":                   s.key.ID,
			"public_key":               seal.Base64(s.key.Public()),
			"algorithms":               seal.SortedStrings(algorithms),
			"issuer_public_key_sha256": seal.SortedStrings(issuerKeys),
		}},
	}
}

// checkStanding finds the signer in the registry in force and checks that it may
// use the issuer, SPEC 8.14.
func (s *Signer) checkStanding(issuerKey string) (seal.Object, error) {
	for _, element := range seal.List(s.registry, "signers") {
		entry, ok := element.(seal.Object)
		if !ok || seal.Text(entry, "key_id") != s.key.ID {
			continue
		}
		if seal.Text(entry, "public_key") != seal.Base64(s.key.Public()) {
			return nil, fmt.Errorf("registry: another key stands under %s", s.key.ID)
		}
		if !slices.Contains(seal.Texts(entry, "issuer_public_key_sha256"), issuerKey) {
			return nil, fmt.Errorf("registry: %s may not use the issuer key %s", s.key.ID, issuerKey)
		}
		return entry, nil
	}
	return nil, fmt.Errorf("registry: the key %s is not in generation %d", s.key.ID,
		seal.Integer(s.registry, "generation"))
}
