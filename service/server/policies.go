package server

import (
	"maps"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/harness/signer"
	"github.com/svc-edge/svc-verify/service/form"
	"github.com/svc-edge/svc-verify/service/httpd"
	"github.com/svc-edge/svc-verify/service/topic"
)

// Limits of a policy.
const (
	maximumProfiles = 1000
	maximumQuorum   = 1000
	maximumLifetime = 10 * 366 * 24 * 3600 // seconds
)

// policies is the policy in force, as the cloud signed it.
type policies struct {
	*tenant
	envelope seal.Object // nil before the first
}

func (p *policies) restore() (err error) {
	p.envelope, err = p.store.Get(kindState, statePolicy)
	return err
}

// current is the policy in force, nil if there is none.
func (p *policies) current() seal.Object {
	return seal.Member(seal.Member(p.envelope, "statement"), "policy")
}

// version returns the version of the policy in force, 0 if there is none.
func (p *policies) version() int64 { return versionOf(p.envelope, "policy_version") }

// profile is a profile of the policy in force, nil if there is none.
func (p *policies) profile(id string) seal.Object {
	return seal.Member(seal.Member(p.current(), "profiles"), id)
}

// complete enters the members of terms that follow from the policy in force.
func (p *policies) complete(terms seal.Object) error {
	policy, profile := p.current(), p.profile(seal.Text(terms, "workload_profile"))
	if profile == nil {
		return conflictError("no policy in force has the profile %s", seal.Text(terms, "workload_profile"))
	}
	terms["policy_version"], terms["policy_sha256"] = policy["version"], seal.Digest(policy)
	terms["required_approvals"] = profile["required_approvals"]
	return nil
}

// publish puts the next version of the policy in force, and notifies the nodes. The version in
// force may be published again, which changes nothing.
func (p *policies) publish(policy seal.Object) (changed bool, err error) {
	before, version := p.version(), seal.Integer(policy, "version")
	if version == before && seal.Digest(policy) == seal.Digest(p.current()) {
		return false, nil
	}
	if version != before+1 {
		return false, conflictError("expected version %d of the policy, found %d", before+1, version)
	}
	p.envelope = seal.Seal(seal.Object{
		"protocol": "svc.policy.v1", "tenant_id": p.config.TenantID, "policy_version": version,
		"published_at": seal.Time(p.now()), "policy": policy,
	}, p.policyKey)
	p.put(kindState, statePolicy, p.envelope)
	p.cloud.PublishPolicy(policy)
	p.notices.add(topic.PolicyVersionAvailable, seal.Object{
		"policy_version": version, "policy_sha256": seal.Digest(policy),
	})
	return true, nil
}

// requiredApprovals returns the number that the strictest profile of the policy in force
// demands, 0 without a policy.
func (p *policies) requiredApprovals() int64 {
	var most int64
	profiles := seal.Member(p.current(), "profiles")
	for name := range profiles {
		most = max(most, seal.Integer(seal.Member(profiles, name), "required_approvals"))
	}
	return most
}

// views are the profiles of the policy in force, with the names and algorithms that a rotation
// may ask for.
func (p *policies) views() []any {
	profiles := seal.Member(p.current(), "profiles")
	list := []any{}
	for _, name := range slices.Sorted(maps.Keys(profiles)) {
		profile := seal.Member(profiles, name)
		list = append(list, seal.Object{
			"profile_id": name, "names": seal.Strings(seal.Texts(profile, "names")),
			"algorithms": profile["algorithms"],
		})
	}
	return list
}

// checkPolicy checks the form of a policy, rules.Policy.
func checkPolicy(policy seal.Object) error {
	f := readFields(policy)
	f.Number("version", 1, form.Largest)
	profiles := f.Object("profiles")
	if err := f.close(); err != nil {
		return err
	}
	if len(profiles) == 0 || len(profiles) > maximumProfiles {
		return httpd.Invalid("profiles: expected 1 to %d profiles", maximumProfiles)
	}
	for name := range profiles {
		if !form.Identifier.Is(name) {
			return httpd.Invalid("profiles: expected identifiers as names, found %q", name)
		}
		if err := checkProfile(seal.Member(profiles, name)); err != nil {
			return err
		}
	}
	return nil
}

func checkProfile(profile seal.Object) error {
	f := readFields(profile)
	given := seal.Texts(profile, "algorithms")
	algorithms := f.names("algorithms")
	f.Number("maximum_lifetime_seconds", 1, maximumLifetime)
	f.Number("required_approvals", 1, maximumQuorum)
	if f.Has("capability") && profile["capability"] != "" {
		f.Text("capability", form.Identifier)
	}
	if f.Has("names") {
		given := seal.Texts(profile, "names")
		names := f.names("names")
		if err := pki.CheckForm(names); err != nil || !slices.Equal(given, names) {
			f.Fail("names", "an ascending list of names as in terms")
		}
	}
	unknown := func(name string) bool { return !slices.Contains(signer.Algorithms, name) }
	if !slices.Equal(given, algorithms) || slices.ContainsFunc(algorithms, unknown) {
		f.Fail("algorithms", "an ascending list out of %s", strings.Join(signer.Algorithms, ", "))
	}
	return f.close()
}

// versionOf is a version in an envelope's statement, 0 if there is no envelope.
func versionOf(envelope seal.Object, name string) int64 {
	return seal.Integer(seal.Member(envelope, "statement"), name)
}
