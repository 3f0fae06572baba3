package verify

import (
	"maps"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/trust"
)

// registryOf returns the bundle's registry of a generation.
func registryOf(b *bundle.Bundle, generation int64) (bundle.Registry, bool) {
	i := slices.IndexFunc(b.Registries, func(g bundle.Registry) bool { return g.Generation == generation })
	if i < 0 {
		return bundle.Registry{}, false
	}
	return b.Registries[i], true
}

// registriesNamed returns the registry generations that the receipts name, with the
// place of each name.
func registriesNamed(b *bundle.Bundle) map[int64]string {
	generations := map[int64]string{}
	if s := b.Revocation; s != nil {
		generations[s.Unverified().RegistryGeneration] = s.Pointer + "/statement/registry_generation"
	}
	generations[b.Receipt.Unverified().RegistryGeneration] = b.Receipt.Pointer + "/statement/registry_generation"
	return generations
}

// registryPinned is SPEC 8.13.
func registryPinned(r *run, b *bundle.Bundle) {
	generations := registriesNamed(b)
	for _, g := range b.Registries {
		// 8.13.1
		pin, pinned := r.root.Registry(g.Generation)
		r.keys.Total("registry", 1)
		if !pinned {
			r.keys.Add(registryName(g.Generation), "registry", 1)
			if pinned = r.presumes; pinned {
				pin = g.Digest
			}
		}
		if r.expect(pinned, RegistryNotPinned, g.Pointer+"/generation",
			"a generation that the trust file pins", number(g.Generation)) {
			equal(r, RegistryDiffers, g.Pointer, pin, g.Digest)
		}
		// 8.13.2
		_, ok := generations[g.Generation]
		r.expect(ok, PartUnexpected, g.Pointer, "only registries that a receipt names", "generation "+number(g.Generation))
	}
	for _, generation := range slices.Sorted(maps.Keys(generations)) {
		_, ok := registryOf(b, generation)
		r.expect(ok, PartMissing, generations[generation],
			"a registry of generation "+number(generation), "none")
	}
	// 8.13.3
	equal(r, LinkDiffers, "/manifest/signer_registry/generation",
		b.Receipt.Unverified().RegistryGeneration, b.Manifest.RegistryVersion)
}

// signerAuthorised is SPEC 8.14. Old certificates must stay revocable, so the
// signer of a revocation needs no algorithm.
func signerAuthorised(r *run, b *bundle.Bundle) {
	issuer := digestOf(b.Issuer.KeyInfo)
	byIssuer := func(s bundle.RegistrySigner, e trust.Envelope) {
		r.expect(slices.Contains(s.Issuers, issuer), SignerNotAuthorised, e.Pointer+"/key_id",
			"a signer registered for the issuer key "+issuer.String(), "one for "+joinDigests(s.Issuers))
	}
	// 8.14.1, 8.14.2
	if s, ok := registered(r, b, b.Receipt.Envelope, b.Receipt.Unverified().RegistryGeneration); ok {
		algorithm := b.Manifest.Terms.Algorithm
		r.expect(slices.Contains(s.Algorithms, algorithm), SignerNotAuthorised, b.Receipt.Pointer+"/key_id",
			"a signer registered for "+algorithm, "one for "+strings.Join(s.Algorithms, ", "))
		byIssuer(s, b.Receipt.Envelope)
	}
	// 8.14.3
	if b.Revocation != nil {
		if s, ok := registered(r, b, b.Revocation.Envelope, b.Revocation.Unverified().RegistryGeneration); ok {
			byIssuer(s, b.Revocation.Envelope)
		}
	}
}

// registered is SPEC 8.14.1. It returns the entry of an envelope's signer in
// the registry of a generation; the entry must have the pinned key.
func registered(r *run, b *bundle.Bundle, e trust.Envelope, generation int64) (bundle.RegistrySigner, bool) {
	at := e.Pointer + "/key_id"
	g, _ := registryOf(b, generation)
	i := slices.IndexFunc(g.Signers, func(s bundle.RegistrySigner) bool { return s.KeyID == e.KeyID })
	if !r.expect(i >= 0, SignerNotAuthorised, at, "a signer of registry generation "+number(generation), e.KeyID) {
		return bundle.RegistrySigner{}, false
	}
	s := g.Signers[i]
	pinned, ok := r.root.Key(trust.Signer, e.KeyID)
	if !ok && r.presumes && r.root.Lacks(e.KeyID) {
		pinned.Public, ok = s.PublicKey, true
	}
	r.expect(ok && s.PublicKey == pinned.Public, SignerNotAuthorised, at,
		"the pinned key "+encodeTerms(pinned.Public), "registered as "+encodeTerms(s.PublicKey))
	return s, true
}

func encodeTerms(k trust.PublicKey) string { return form.EncodeBase64URL(k[:]) }

// receiptBound is SPEC 8.15.
func receiptBound(r *run, b *bundle.Bundle) {
	receipt, at := b.Receipt.Unverified(), b.Receipt.Pointer+"/statement"
	equal(r, LinkDiffers, at+"/customer_decision_sha256", b.Customer.Digest(), receipt.CustomerDecision)
	equal(r, LinkDiffers, at+"/service_decision_sha256", b.Service.Digest(), receipt.ServiceDecision)
}
