package verify

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/internal/safetext"
	"github.com/svc-edge/svc-verify/trust"
)

// manifestComplete is SPEC 8.8.
func (r *run) manifestComplete(n *notes, b *bundle.Bundle) struct{} {
	m := b.Manifest
	part := func(at string, want, got bundle.Hash) {
		n.expect(want == got, PartDiffers, "/manifest"+at, want.String(), got.String())
	}
	r.approvalsNamed(n, b)
	part("/decisions/customer_sha256", b.Customer.Digest(), m.CustomerDecision)
	part("/decisions/service_sha256", b.Service.Digest(), m.ServiceDecision)
	part("/signer_receipt_sha256", b.Receipt.Digest(), m.Receipt)
	part("/certificate/sha256", digestOf(b.Leaf.Raw), m.Certificate)
	part("/issuer_sha256", digestOf(b.Issuer.Raw), m.Issuer)
	if g, ok := registry(b, m.RegistryVersion); n.expect(ok, PartMissing, "/manifest/signer_registry/generation",
		"a registry of generation "+number(m.RegistryVersion), "none") {
		part("/signer_registry/sha256", g.Digest, m.Registry)
	}
	return struct{}{}
}

// approvalsNamed compares the approvals present with those that the manifest
// names, as sets of node and digest.
func (r *run) approvalsNamed(n *notes, b *bundle.Bundle) {
	named, digests := map[bundle.ManifestApproval]bool{}, map[string]bundle.Hash{}
	for _, a := range b.Manifest.Approvals {
		named[a], digests[a.NodeID] = true, a.Digest
	}
	pair := func(s trust.Sealed[bundle.Approval]) bundle.ManifestApproval {
		return bundle.ManifestApproval{NodeID: s.Unverified().NodeID, Digest: s.Digest()}
	}
	for i, a := range b.Manifest.Approvals {
		present := slices.ContainsFunc(b.Approvals, func(s trust.Sealed[bundle.Approval]) bool {
			return pair(s) == a || pair(s).NodeID == a.NodeID && !named[pair(s)] // the latter is noted where it stands
		})
		at := fmt.Sprintf("/manifest/approvals/%d/node_id", i)
		n.expect(present, PartMissing, at, "an approval by node "+a.NodeID, "none")
	}
	for _, s := range b.Approvals {
		p := pair(s)
		digest, ok := digests[p.NodeID]
		if n.expect(ok, PartUnnamed, s.Pointer, "only approvals that the manifest names", "one by node "+p.NodeID) {
			n.expect(named[p], PartDiffers, s.Pointer, digest.String(), p.Digest.String())
		}
	}
}

// termsEqual is SPEC 8.9: the canonical bytes decide.
func (r *run) termsEqual(n *notes, b *bundle.Bundle) struct{} {
	same := func(e trust.Envelope, t bundle.Terms) {
		holds := bytes.Equal(t.Canonical, b.Manifest.Terms.Canonical)
		member, want, got := "", "", ""
		if !holds {
			member, want, got = difference(b.Manifest.Terms, t)
		}
		n.expect(holds, TermsDiffer, e.Pointer+"/statement/terms"+member, want, got)
	}
	for _, a := range b.Approvals {
		same(a.Envelope, a.Unverified().Terms)
	}
	same(b.Customer.Envelope, b.Customer.Unverified().Terms)
	same(b.Service.Envelope, b.Service.Unverified().Terms)
	same(b.Receipt.Envelope, b.Receipt.Unverified().Terms)
	return struct{}{}
}

// difference names the first member in which two terms differ.
func difference(want, got bundle.Terms) (member, w, g string) {
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
func (r *run) approvalsQuorum(n *notes, in pair[*bundle.Bundle, pinned]) struct{} {
	for _, a := range in.a.Approvals {
		n.expect(a.Unverified().Decision == bundle.Allow, ApprovalDenied, a.Pointer+"/statement/decision", bundle.Allow, a.Unverified().Decision)
	}
	need := max(int64(r.minimumApprovals()), in.a.Manifest.Terms.RequiredApprovals)
	have := int64(trust.Distinct(in.b.approvers))
	n.expect(have >= need, ApprovalQuorum, "/approvals", atLeast(need, "distinct approving node"), number(have))
	return struct{}{}
}

// decisionsAgree is SPEC 8.11.
func (r *run) decisionsAgree(n *notes, b *bundle.Bundle) struct{} {
	for _, d := range []trust.Sealed[bundle.Decision]{b.Customer, b.Service} {
		n.expect(d.Unverified().Decision == bundle.Allow, DecisionDenied, d.Pointer+"/statement/decision", bundle.Allow, d.Unverified().Decision)
	}
	customer := b.Customer.Unverified()
	var approvers []string
	var present []bundle.Hash
	for _, a := range b.Approvals {
		approvers = append(approvers, a.Unverified().NodeID)
		present = append(present, a.Digest())
	}
	n.expect(slices.Contains(approvers, customer.NodeID), DecisionNotByApprover, b.Customer.Pointer+"/statement/node_id",
		"one of the approvers "+strings.Join(approvers, ", "), customer.NodeID)
	n.expect(sameSet(present, customer.Approvals), DecisionApprovals, b.Customer.Pointer+"/statement/approvals",
		"the digests of the approvals: "+join(present), join(customer.Approvals))
	return struct{}{}
}

// sameSet compares two lists as sets.
func sameSet(a, b []bundle.Hash) bool {
	a, b = sorted(a), sorted(b)
	return slices.Equal(slices.Compact(a), slices.Compact(b))
}

func sorted(list []bundle.Hash) []bundle.Hash {
	return slices.SortedFunc(slices.Values(list), func(a, b bundle.Hash) int { return bytes.Compare(a[:], b[:]) })
}

func join(list []bundle.Hash) string {
	var words []string
	for _, h := range sorted(list) {
		words = append(words, h.String())
	}
	return strings.Join(words, ", ")
}

func atLeast(n int64, what string) string { return "at least " + safetext.Count(n, what) }
