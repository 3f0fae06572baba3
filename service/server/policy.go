package server

import (
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/harness/signer"
	"github.com/svc-edge/svc-verify/service/httpd"
)

// Limits of a policy.
const (
	maximumProfiles = 1000
	maximumQuorum   = 1000
	maximumLifetime = 10 * 366 * 24 * 3600 // seconds
	largest         = 1<<53 - 1
)

// policyOf is the policy in an envelope, nil if there is none.
func policyOf(envelope seal.Object) seal.Object {
	return seal.Member(seal.Member(envelope, "statement"), "policy")
}

// publishPolicy puts the next version of the policy in force. What is open
// under the one before is denied: its nodes would deny it one by one.
func (s *Server) publishPolicy(c *call) (seal.Object, error) {
	f := read(c.Body)
	policy := f.object("policy")
	if err := f.close(); err != nil {
		return nil, err
	}
	if err := checkPolicy(policy); err != nil {
		return nil, err
	}
	version := seal.Integer(policy, "version")
	err := s.ordered(c, func() error {
		before := versionOf(s.policy, "policy_version")
		if version == before && seal.Digest(policy) == seal.Digest(policyOf(s.policy)) {
			return nil
		}
		if version != before+1 {
			return conflict("expected version %d of the policy, found %d", before+1, version)
		}
		s.policy = seal.Seal(seal.Object{
			"protocol": "svc.policy.v1", "tenant_id": s.config.TenantID, "policy_version": version,
			"published_at": seal.Time(s.now()), "policy": policy,
		}, s.policyKey)
		s.put(kindState, statePolicy, s.policy)
		s.cloud.PublishPolicy(policy)
		s.notices.add("policy.version.available", seal.Object{"policy_version": version, "policy_sha256": seal.Digest(policy)})
		for _, t := range s.inOrder() {
			if t.status == statusPending {
				s.deny(t, "policy_changed", "the policy was replaced before the transaction was decided")
			}
		}
		return nil
	})
	return seal.Object{"policy_version": version, "policy_sha256": seal.Digest(policy)}, err
}

// checkPolicy checks the form of a policy, rules.Policy.
func checkPolicy(policy seal.Object) error {
	f := read(policy)
	f.number("version", 1, largest)
	profiles := f.object("profiles")
	if err := f.close(); err != nil {
		return err
	}
	if len(profiles) == 0 || len(profiles) > maximumProfiles {
		return httpd.Invalid("profiles: expected 1 to %d profiles", maximumProfiles)
	}
	for name := range profiles {
		if !identifier.MatchString(name) {
			return httpd.Invalid("profiles: expected identifiers as names, found %q", name)
		}
		if err := checkProfile(seal.Member(profiles, name)); err != nil {
			return err
		}
	}
	return nil
}

func checkProfile(profile seal.Object) error {
	f := read(profile)
	given := seal.Texts(profile, "algorithms")
	algorithms := f.names("algorithms")
	f.number("maximum_lifetime_seconds", 1, maximumLifetime)
	f.number("required_approvals", 1, maximumQuorum)
	if f.has("capability") && profile["capability"] != "" {
		f.text("capability", identifier)
	}
	if f.has("names") {
		given := seal.Texts(profile, "names")
		names := f.names("names")
		if err := pki.CheckForm(names); err != nil || !slices.Equal(given, names) {
			f.fail("names", "expected an ascending list of names as in terms")
		}
	}
	unknown := func(name string) bool { return !slices.Contains(signer.Algorithms, name) }
	if !slices.Equal(given, algorithms) || slices.ContainsFunc(algorithms, unknown) {
		f.fail("algorithms", "expected an ascending list out of %s", strings.Join(signer.Algorithms, ", "))
	}
	return f.close()
}

// requiredApprovals is what the strictest profile of the policy in force
// demands, 0 without a policy.
func (s *Server) requiredApprovals() int64 {
	var most int64
	profiles := seal.Member(policyOf(s.policy), "profiles")
	for name := range profiles {
		most = max(most, seal.Integer(seal.Member(profiles, name), "required_approvals"))
	}
	return most
}
