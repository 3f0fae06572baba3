package bundle

import (
	"crypto/sha256"
	"fmt"

	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/trust"
)

// readRegistries reads the signer registries (SPEC 7.8), ascending by generation.
func (r reader) readRegistries(list []*ijson.Value) []Registry {
	all, keys := make([]Registry, len(list)), make([]string, len(list))
	for i, v := range list {
		all[i] = r.readRegistry(v)
		keys[i] = fmt.Sprintf("%016d", all[i].Generation)
	}
	r.Ascending(list, keys)
	return all
}

func (r reader) readRegistry(v *ijson.Value) Registry {
	o := r.Object(v, "protocol", "generation", "signers", "created_at")
	o.Protocol(ProtocolRegistry)
	return Registry{
		Digest:     sha256.Sum256(v.Canonical()),
		Generation: o.Counter("generation"),
		Signers:    r.registrySigners(o),
		CreatedAt:  o.Time("created_at"),
		Pointer:    v.Pointer(),
	}
}

func (r reader) registrySigners(o form.Object) []RegistrySigner {
	list := o.List("signers", 1, form.MaxList)
	signers, ids := make([]RegistrySigner, len(list)), make([]string, len(list))
	for i, v := range list {
		s := r.Object(v, "key_id", "public_key", "algorithms", "issuer_public_key_sha256")
		signers[i] = RegistrySigner{
			KeyID:      s.Identifier("key_id"),
			Algorithms: r.readWords(s, "algorithms", "an algorithm of SPEC 7.2", oneOf(algorithms)),
			Issuers:    r.readDigests(s, "issuer_public_key_sha256", 1),
		}
		if b := s.Bytes("public_key", len(trust.PublicKey{}), len(trust.PublicKey{})); b != nil {
			signers[i].PublicKey = trust.PublicKey(b)
		}
		ids[i] = signers[i].KeyID
	}
	r.Ascending(list, ids)
	return signers
}
