package verify

import (
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/trust"
)

// registry returns the bundle's registry of a generation.
func registry(b *bundle.Bundle, generation int64) (bundle.Registry, bool) {
	i := slices.IndexFunc(b.Registries, func(g bundle.Registry) bool { return g.Generation == generation })
	if i < 0 {
		return bundle.Registry{}, false
	}
	return b.Registries[i], true
}

// named returns the registry generations that the receipts name, with the
// place of each name.
func named(b *bundle.Bundle) map[int64]string {
	generations := map[int64]string{}
	if b.Revocation != nil {
		generations[b.Revocation.Unverified().RegistryGeneration] = b.Revocation.Pointer + "/statement/registry_generation"
	}
	generations[b.Receipt.Unverified().RegistryGeneration] = b.Receipt.Pointer + "/statement/registry_generation"
	return generations
}

// registryPinned is SPEC 8.13.
func (r *run) registryPinned(n *notes, b *bundle.Bundle) struct{} {
	generations := named(b)
	for _, g := range b.Registries {
		pin, ok := r.root.Registry(g.Generation)
		if n.expect(ok, RegistryNotPinned, g.Pointer+"/generation", "a generation that the trust file pins", number(g.Generation)) {
			n.expect(g.Digest == pin, RegistryDiffers, g.Pointer, hexOf(pin), g.Digest.String())
		}
		_, ok = generations[g.Generation]
		n.expect(ok, RegistryUnnamed, g.Pointer, "only registries that a receipt names", "generation "+number(g.Generation))
	}
	for _, generation := range sortedKeys(generations) {
		_, ok := registry(b, generation)
		n.expect(ok, RegistryMissing, generations[generation], "a registry of this generation in the bundle", number(generation))
	}
	want, got := b.Receipt.Unverified().RegistryGeneration, b.Manifest.RegistryVersion
	n.expect(want == got, RegistryGeneration, "/manifest/signer_registry/generation", number(want), number(got))
	return struct{}{}
}

func sortedKeys[V any](m map[int64]V) []int64 {
	var keys []int64
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// signerAuthorised is SPEC 8.14. Old certificates must stay revocable, so a
// revocation asks for key and issuer only, not for the algorithm.
func (r *run) signerAuthorised(n *notes, b *bundle.Bundle) struct{} {
	issuer := digestOf(b.Issuer.KeyInfo)
	receipt := b.Receipt.Unverified()
	if s, ok := r.registered(n, b, b.Receipt.Envelope, receipt.RegistryGeneration); ok {
		algorithm := b.Manifest.Terms.Algorithm
		n.expect(slices.Contains(s.Algorithms, algorithm), SignerAlgorithm, b.Receipt.Pointer+"/key_id",
			"a signer registered for "+algorithm, "one for "+strings.Join(s.Algorithms, ", "))
		n.expect(slices.Contains(s.Issuers, issuer), SignerIssuer, b.Receipt.Pointer+"/key_id",
			"a signer registered for the issuer key "+issuer.String(), "one for "+join(s.Issuers))
	}
	if b.Revocation == nil {
		return struct{}{}
	}
	if s, ok := r.registered(n, b, b.Revocation.Envelope, b.Revocation.Unverified().RegistryGeneration); ok {
		n.expect(slices.Contains(s.Issuers, issuer), SignerIssuer, b.Revocation.Pointer+"/key_id",
			"a signer registered for the issuer key "+issuer.String(), "one for "+join(s.Issuers))
	}
	return struct{}{}
}

// registered returns the entry of an envelope's signer in the registry of a
// generation. The entry's key must be the pinned one, byte for byte.
func (r *run) registered(n *notes, b *bundle.Bundle, e trust.Envelope, generation int64) (bundle.RegistrySigner, bool) {
	g, _ := registry(b, generation)
	i := slices.IndexFunc(g.Signers, func(s bundle.RegistrySigner) bool { return s.KeyID == e.KeyID })
	if !n.expect(i >= 0, SignerNotRegistered, e.Pointer+"/key_id", "a signer of registry generation "+number(generation), e.KeyID) {
		return bundle.RegistrySigner{}, false
	}
	s := g.Signers[i]
	pinned, ok := r.root.Key(trust.Signer, e.KeyID)
	n.expect(ok && s.PublicKey == pinned.Public, SignerKeyDiffers, e.Pointer+"/key_id",
		"the pinned key "+encoded(pinned.Public), "registered as "+encoded(s.PublicKey))
	return s, true
}

func encoded(k trust.PublicKey) string { return form.EncodeBase64URL(k[:]) }

// receiptBound is SPEC 8.15.
func (r *run) receiptBound(n *notes, b *bundle.Bundle) struct{} {
	receipt, at := b.Receipt.Unverified(), b.Receipt.Pointer+"/statement"
	customer, service := bundle.Hash(b.Customer.Digest()), bundle.Hash(b.Service.Digest())
	n.expect(receipt.CustomerDecision == customer, ReceiptOtherDecision, at+"/customer_decision_sha256", customer.String(), receipt.CustomerDecision.String())
	n.expect(receipt.ServiceDecision == service, ReceiptOtherDecision, at+"/service_decision_sha256", service.String(), receipt.ServiceDecision.String())
	return struct{}{}
}

// revocation is SPEC 8.20.
func (r *run) revocation(n *notes, in pair[*bundle.Bundle, disclosed]) struct{} {
	b, event := in.a, in.b.revocation // of several, each must name the receipt
	status := b.Status.Unverified()
	revoked := status.Status == bundle.Revoked
	n.expect((b.Revocation != nil) == revoked, RevocationIncomplete, "/status/statement/status", shown(b.Revocation != nil, "receipt"), status.Status)
	n.expect((event != nil) == revoked, RevocationIncomplete, "/status/statement/status", shown(event != nil, "event"), status.Status)
	n.expect((status.RevocationReceipt != nil) == revoked, RevocationIncomplete, "/status/statement/status",
		shown(status.RevocationReceipt != nil, "digest in the status"), status.Status)
	if b.Revocation == nil {
		return struct{}{}
	}
	digest := bundle.Hash(b.Revocation.Digest())
	if h := status.RevocationReceipt; h != nil {
		n.expect(*h == digest, RevocationOtherReceipt, "/status/statement/revocation_receipt_sha256", digest.String(), h.String())
	}
	for _, event := range in.b.revocations {
		h := event.Unverified().RevocationReceipt
		n.expect(h == digest, RevocationOtherReceipt, event.Pointer+"/body/data/revocation_receipt_sha256", digest.String(), h.String())
	}
	receipt, at, leaf := b.Revocation.Unverified(), b.Revocation.Pointer+"/statement", digestOf(b.Leaf.Raw)
	n.expect(receipt.Certificate == leaf, RevocationOtherCertificate, at+"/certificate_sha256", leaf.String(), receipt.Certificate.String())
	n.expect(receipt.Serial == serial(b), RevocationOtherCertificate, at+"/certificate_serial", serial(b), receipt.Serial)
	return struct{}{}
}

// shown says which status goes with the presence of a part of the revocation.
func shown(present bool, part string) string {
	if present {
		return bundle.Revoked + ", since there is a revocation " + part
	}
	return bundle.Issued + ", since there is no revocation " + part
}
