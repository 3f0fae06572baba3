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

// allReliances returns the reliances of all approvals, and then of both decisions.
func allReliances(b *bundle.Bundle) []reliance {
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

// capabilityBound is SPEC 8.12.
func capabilityBound(r *run, b *bundle.Bundle) {
	var present, relied []bundle.Hash
	for _, s := range allReliances(b) {
		relied = append(relied, s.digests...)
	}
	profile := b.Manifest.Terms.WorkloadProfile
	for _, s := range b.Capability {
		present = append(present, s.Digest())
		equal(r, LinkDiffers, s.Pointer+"/statement/workload_profile",
			profile, s.Unverified().WorkloadProfile) // 8.12.2
	}
	// 8.12.1
	listed := b.Manifest.Capability
	r.expect(sameSet(listed, present), LinkDiffers, "/capability_evidence",
		describeKey(listed), describeKey(present))
	r.expect(sameSet(relied, listed), LinkDiffers, "/manifest/capability_evidence",
		describeKey(relied), describeKey(listed))
}

func describeKey(list []bundle.Hash) string {
	if len(list) == 0 {
		return "none"
	}
	return joinDigests(list)
}
