package rules

import (
	"fmt"
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/harness/wire"
)

// Profile is what a policy allows to the workloads of one profile.
type Profile struct {
	Name              string
	Algorithms        []string
	MaximumLifetime   time.Duration
	RequiredApprovals int64
	Capability        string // what a node must have observed, "" for nothing
}

// Policy is a version of the rules by which nodes decide. Its digest stands in
// the terms that were decided under it, SPEC 7.2; the document itself is the
// tenant's own and in no bundle.
func Policy(version int64, profiles ...Profile) wire.Object {
	byName := wire.Object{}
	for _, p := range profiles {
		byName[p.Name] = wire.Object{
			"algorithms":               wire.SortedStrings(p.Algorithms),
			"maximum_lifetime_seconds": int64(p.MaximumLifetime / time.Second),
			"required_approvals":       p.RequiredApprovals,
			"capability":               p.Capability,
		}
	}
	return wire.Object{"version": version, "profiles": byName}
}

// CheckPolicy checks that the policy allows the terms.
func CheckPolicy(policy, terms wire.Object) error {
	version, digest := wire.Integer(policy, "version"), wire.Digest(policy)
	if found := wire.Integer(terms, "policy_version"); found != version {
		return fmt.Errorf("policy_version: expected %d, found %d", version, found)
	}
	if found := wire.Text(terms, "policy_sha256"); found != digest {
		return fmt.Errorf("policy_sha256: expected %s, found %q", digest, found)
	}
	name := wire.Text(terms, "workload_profile")
	profile := wire.Member(wire.Member(policy, "profiles"), name)
	if profile == nil {
		return fmt.Errorf("workload_profile: policy %d has no profile %q", version, name)
	}
	if algorithm := wire.Text(terms, "algorithm"); !slices.Contains(wire.Texts(profile, "algorithms"), algorithm) {
		return fmt.Errorf("algorithm: policy %d does not allow %q to %s", version, algorithm, name)
	}
	lifetime, maximum := wire.Integer(terms, "lifetime_seconds"), wire.Integer(profile, "maximum_lifetime_seconds")
	if lifetime < 1 || lifetime > maximum {
		return fmt.Errorf("lifetime_seconds: policy %d allows %s at most %d seconds, found %d", version, name, maximum, lifetime)
	}
	required, minimum := wire.Integer(terms, "required_approvals"), wire.Integer(profile, "required_approvals")
	if required < minimum {
		return fmt.Errorf("required_approvals: policy %d demands %d, found %d", version, minimum, required)
	}
	return nil
}

// RequiredCapability is the capability that the policy demands for the terms,
// or "" if none.
func RequiredCapability(policy, terms wire.Object) string {
	profile := wire.Member(wire.Member(policy, "profiles"), wire.Text(terms, "workload_profile"))
	return wire.Text(profile, "capability")
}
