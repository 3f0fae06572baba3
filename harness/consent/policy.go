package consent

import (
	"fmt"
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
)

// Profile describes what a policy allows to the workloads of one profile.
type Profile struct {
	Name              string
	Algorithms        []string
	MaximumLifetime   time.Duration
	RequiredApprovals int64
	Capability        string // that a node must have observed, "" for none
	// Names are those that the workloads may have (SPEC 7.3). Without any, an
	// issuance may be for every name, and a rotation for none.
	Names []string
}

// Policy is a version of the rules by which nodes decide. Its digest is in
// the terms that were decided under it, SPEC 7.2; the document itself is the
// tenant's own and in no bundle.
func Policy(version int64, profiles ...Profile) seal.Object {
	byName := seal.Object{}
	for _, p := range profiles {
		profile := seal.Object{
			"algorithms":               seal.SortedStrings(p.Algorithms),
			"maximum_lifetime_seconds": int64(p.MaximumLifetime / time.Second),
			"required_approvals":       p.RequiredApprovals,
			"capability":               p.Capability,
		}
		if len(p.Names) > 0 {
			profile["names"] = seal.SortedStrings(p.Names)
		}
		byName[p.Name] = profile
	}
	return seal.Object{"version": version, "profiles": byName}
}

// CheckPolicy checks that the policy allows the terms.
func CheckPolicy(policy, terms seal.Object) error {
	version, digest := seal.Integer(policy, "version"), seal.Digest(policy)
	if found := seal.Integer(terms, "policy_version"); found != version {
		return fmt.Errorf("policy_version: expected %d, found %d", version, found)
	}
	if found := seal.Text(terms, "policy_sha256"); found != digest {
		return fmt.Errorf("policy_sha256: expected %s, found %q", digest, found)
	}
	name := seal.Text(terms, "workload_profile")
	profile := seal.Member(seal.Member(policy, "profiles"), name)
	if profile == nil {
		return fmt.Errorf("workload_profile: policy %d has no profile %q", version, name)
	}
	if algorithm := seal.Text(terms, "algorithm"); !slices.Contains(seal.Texts(profile, "algorithms"), algorithm) {
		return fmt.Errorf("algorithm: policy %d does not allow %q to %s", version, algorithm, name)
	}
	lifetime, maximum := seal.Integer(terms, "lifetime_seconds"), seal.Integer(profile, "maximum_lifetime_seconds")
	if lifetime < 1 || lifetime > maximum {
		return fmt.Errorf("lifetime_seconds: policy %d allows %s at most %d seconds, found %d",
			version, name, maximum, lifetime)
	}
	required, minimum := seal.Integer(terms, "required_approvals"), seal.Integer(profile, "required_approvals")
	if required < minimum {
		return fmt.Errorf("required_approvals: policy %d demands %d, found %d", version, minimum, required)
	}
	if seal.List(profile, "names") == nil {
		return nil
	}
	if err := CheckNames(profile, seal.Texts(terms, "names")); err != nil {
		return fmt.Errorf("names: policy %d, %s: %w", version, name, err)
	}
	return nil
}

// CheckNames checks that a profile of a policy allows the names. A profile that
// lists none allows none.
func CheckNames(profile seal.Object, names []string) error {
	allowed := seal.Texts(profile, "names")
	for _, name := range names {
		if !slices.Contains(allowed, name) {
			return fmt.Errorf("%q is not among its names", name)
		}
	}
	return nil
}

// RequiredCapability is the capability that the policy demands for the terms,
// or "" if none.
func RequiredCapability(policy, terms seal.Object) string {
	profile := seal.Member(seal.Member(policy, "profiles"), seal.Text(terms, "workload_profile"))
	return seal.Text(profile, "capability")
}
