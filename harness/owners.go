package harness

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"path/filepath"
	"strconv"

	"github.com/svc-edge/svc-verify/harness/seal"
)

// WriteOwners writes public keys and registries into a directory, as their owners hand them out: a
// file <id>.pem for each node, audit key and signer, and registry-<generation>.json.
func (s *Scene) WriteOwners(dir string) error {
	for _, section := range []string{"audit_keys", "protected_signer_keys", "nodes"} {
		keys := seal.Member(s.Trust, section)
		for id := range keys {
			raw := seal.Must(seal.Unbase64(seal.Text(keys, id)))
			der := seal.Must(x509.MarshalPKIXPublicKey(ed25519.PublicKey(raw)))
			block := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
			if err := writeFile(filepath.Join(dir, filepath.FromSlash(id)+".pem"), block); err != nil {
				return err
			}
		}
	}
	for _, export := range s.Exports {
		registries, _ := export.Bundle["signer_registries"].([]any)
		for _, item := range registries {
			registry := item.(seal.Object)
			name := "registry-" + strconv.FormatInt(seal.Integer(registry, "generation"), 10) + ".json"
			if err := writeFile(filepath.Join(dir, name), seal.Canonical(registry)); err != nil {
				return err
			}
		}
	}
	return nil
}
