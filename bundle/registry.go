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
	return readAscending(r, list, func(v *ijson.Value) (Registry, string) {
		g := r.readRegistry(v)
		return g, fmt.Sprintf("%016d", g.Generation)
	})
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
	return readAscending(r, o.List("signers", 1, form.MaxList), func(v *ijson.Value) (RegistrySigner, string) {
		o := r.Object(v, "key_id", "public_key", "algorithms", "issuer_public_key_sha256")
		s := RegistrySigner{
			KeyID:      o.Identifier("key_id"),
			Algorithms: r.readWords(o, "algorithms", "an algorithm of SPEC 7.2", oneOf(algorithms)),
			Issuers:    r.readDigests(o, "issuer_public_key_sha256", 1),
		}
		if b := o.Bytes("public_key", len(s.PublicKey), len(s.PublicKey)); b != nil {
			s.PublicKey = trust.PublicKey(b)
		}
		return s, s.KeyID
	})
}
