package verify

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/trust"
)

// manifestComplete is SPEC 8.8.
func manifestComplete(r *run, b *bundle.Bundle) {
	m := b.Manifest
	approvalsNamed(r, b)
	// 8.8.2
	equal(r, LinkDiffers, "/manifest/decisions/customer_sha256", b.Customer.Digest(), m.CustomerDecision)
	equal(r, LinkDiffers, "/manifest/decisions/service_sha256", b.Service.Digest(), m.ServiceDecision)
	// 8.8.4
	equal(r, LinkDiffers, "/manifest/signer_receipt_sha256", b.Receipt.Digest(), m.Receipt)
	// 8.8.5
	equal(r, LinkDiffers, "/manifest/certificate/sha256", digestOf(b.Leaf.Raw), m.Certificate)
	equal(r, LinkDiffers, "/manifest/issuer_sha256", digestOf(b.Issuer.Raw), m.Issuer)
	// 8.8.3
	g, ok := registryOf(b, m.RegistryVersion)
	if r.expect(ok, PartMissing, "/manifest/signer_registry/generation",
		"a registry of generation "+number(m.RegistryVersion), "none") {
		equal(r, LinkDiffers, "/manifest/signer_registry/sha256", g.Digest, m.Registry)
	}
}

// approvalsNamed is SPEC 8.8.1. It compares the approvals of the bundle with
// those that the manifest names, as sets of node and digest.
func approvalsNamed(r *run, b *bundle.Bundle) {
	named, digests := map[bundle.ManifestApproval]bool{}, map[string]bundle.Hash{}
	for _, a := range b.Manifest.Approvals {
		named[a], digests[a.NodeID] = true, a.Digest
	}
	pair := func(s trust.Sealed[bundle.Approval]) bundle.ManifestApproval {
		return bundle.ManifestApproval{NodeID: s.Unverified().NodeID, Digest: s.Digest()}
	}
	for i, a := range b.Manifest.Approvals {
		present := slices.ContainsFunc(b.Approvals, func(s trust.Sealed[bundle.Approval]) bool {
			p := pair(s)
			return p == a || p.NodeID == a.NodeID && !named[p] // the latter is reported below, at the approval
		})
		at := fmt.Sprintf("/manifest/approvals/%d/node_id", i)
		r.expect(present, PartMissing, at, "an approval by node "+a.NodeID, "none")
	}
	for _, s := range b.Approvals {
		p := pair(s)
		digest, ok := digests[p.NodeID]
		if r.expect(ok, PartUnexpected, s.Pointer, "only approvals that the manifest names", "one by node "+p.NodeID) {
			r.expect(named[p], LinkDiffers, s.Pointer, digest.String(), p.Digest.String())
		}
	}
}

// termsEqual is SPEC 8.9: the canonical bytes decide.
func termsEqual(r *run, b *bundle.Bundle) {
	same := func(e trust.Envelope, t bundle.Terms) {
		holds := bytes.Equal(t.Canonical, b.Manifest.Terms.Canonical)
		member, want, got := "", "", ""
		if !holds {
			member, want, got = differingMember(b.Manifest.Terms, t)
		}
		r.expect(holds, LinkDiffers, e.Pointer+"/statement/terms"+member, want, got)
	}
	for _, a := range b.Approvals {
		same(a.Envelope, a.Unverified().Terms)
	}
	same(b.Customer.Envelope, b.Customer.Unverified().Terms)
	same(b.Service.Envelope, b.Service.Unverified().Terms)
	same(b.Receipt.Envelope, b.Receipt.Unverified().Terms)
}

// differingMember names the first member in which two terms differ.
func differingMember(want, got bundle.Terms) (member, w, g string) {
	fields := []struct{ name, want, got string }{
		{"workload_profile", want.WorkloadProfile, got.WorkloadProfile},
		{"algorithm", want.Algorithm, got.Algorithm},
		{"lifetime_seconds", number(want.LifetimeSeconds), number(got.LifetimeSeconds)},
		{"policy_version", number(want.PolicyVersion), number(got.PolicyVersion)},
		{"policy_sha256", want.PolicySHA256.String(), got.PolicySHA256.String()},
		{"required_approvals", number(want.RequiredApprovals), number(got.RequiredApprovals)},
		{"names", strings.Join(want.Names, ", "), strings.Join(got.Names, ", ")},
		{"extended_key_usages", strings.Join(want.ExtendedKeyUsages, ", "), strings.Join(got.ExtendedKeyUsages, ", ")},
		{"public_key_sha256", want.PublicKeySHA256.String(), got.PublicKeySHA256.String()},
	}
	for _, f := range fields {
		if f.want != f.got {
			return "/" + f.name, f.want, f.got
		}
	}
	return "", "the manifest's terms", "other terms"
}

// approvalsQuorum is SPEC 8.10.
func approvalsQuorum(r *run, b *bundle.Bundle) {
	// 8.10.1
	for _, a := range b.Approvals {
		equal(r, ApprovalDenied, a.Pointer+"/statement/decision", bundle.Allow, a.Unverified().Decision)
	}
	// 8.10.2
	need := max(int64(r.minimumApprovals()), b.Manifest.Terms.RequiredApprovals)
	have := int64(trust.Distinct(r.approvers))
	r.expect(have >= need, ApprovalQuorum, "/approvals", atLeast(need, "distinct approving node"), number(have))
}

// decisionsAgree is SPEC 8.11.
func decisionsAgree(r *run, b *bundle.Bundle) {
	// 8.11.1
	for _, d := range []trust.Sealed[bundle.Decision]{b.Customer, b.Service} {
		equal(r, DecisionDenied, d.Pointer+"/statement/decision", bundle.Allow, d.Unverified().Decision)
	}
	customer, at := b.Customer.Unverified(), b.Customer.Pointer+"/statement"
	var approvers []string
	var present []bundle.Hash
	for _, a := range b.Approvals {
		approvers = append(approvers, a.Unverified().NodeID)
		present = append(present, a.Digest())
	}
	// 8.11.2
	r.expect(slices.Contains(approvers, customer.NodeID), LinkDiffers, at+"/node_id",
		"one of the approvers "+strings.Join(approvers, ", "), customer.NodeID)
	// 8.11.3
	r.expect(sameSet(present, customer.Approvals), LinkDiffers, at+"/approvals",
		"the digests of the approvals: "+joinDigests(present), joinDigests(customer.Approvals))
}
