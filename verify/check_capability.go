package verify

import (
	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/trust"
)

// reliance is one statement that relies on capability evidence: the digests
// that it lists, and the time of its decision.
type reliance struct {
	digests []bundle.Hash
	decided moment
}

// reliances returns every approval, and then both decisions.
func reliances(b *bundle.Bundle) []reliance {
	var all []reliance
	for _, s := range b.Approvals {
		a := s.Unverified()
		all = append(all, reliance{a.Capability, moment{s.Pointer + "/statement/decided_at", a.DecidedAt}})
	}
	for _, s := range []trust.Sealed[bundle.Decision]{b.Customer, b.Service} {
		d := s.Unverified()
		all = append(all, reliance{d.Capability, moment{s.Pointer + "/statement/decided_at", d.DecidedAt}})
	}
	return all
}

// capabilityBound is SPEC 8.12: what is present, what the manifest lists and
// what anyone relied on are the same set, and each is of the workload.
func (r *run) capabilityBound(n *notes, b *bundle.Bundle) struct{} {
	var present, relied []bundle.Hash
	for _, s := range reliances(b) {
		relied = append(relied, s.digests...)
	}
	for _, s := range b.Capability {
		c := s.Unverified()
		present = append(present, s.Digest())
		n.expect(c.WorkloadProfile == b.Manifest.Terms.WorkloadProfile, EvidenceOtherWorkload, s.Pointer+"/statement/workload_profile",
			b.Manifest.Terms.WorkloadProfile, c.WorkloadProfile)
	}
	listed := b.Manifest.Capability
	n.expect(sameSet(listed, present), EvidenceNotAsListed, "/capability_evidence", described(listed), described(present))
	n.expect(sameSet(relied, listed), EvidenceNotAsReliedOn, "/manifest/capability_evidence", described(relied), described(listed))
	return struct{}{}
}

func described(list []bundle.Hash) string {
	if len(list) == 0 {
		return "none"
	}
	return join(list)
}
