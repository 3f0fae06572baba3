//go:build heavy

package cases

import (
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/forensics/cause"
	"github.com/svc-edge/svc-verify/forensics/fleettest"
	"github.com/svc-edge/svc-verify/harness/fleet"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/trust"
)

// TestOtherEnvironment: where no signature of a tenant holds, or where a second
// history is there that nobody known signed, it is not tampering that comes first.
func TestOtherEnvironment(t *testing.T) {
	usual, other := fleettest.Evidence(t, fleet.Scene), elsewhere(t)
	foreign := other.Clone()
	foreign.Files[fleet.TrustFile] = usual.Files[fleet.TrustFile]
	mixed := usual.Clone()
	for _, name := range other.Names("journals", "cursors", fleet.TenantLog, "bundles") {
		mixed.Files["staging/"+name] = other.Files[name]
	}
	for name, tt := range map[string]struct {
		e     *fleet.Evidence
		given []string
		want  cause.Code
	}{
		"all":           {foreign, collected, cause.OtherEnvironment},
		"journals only": {foreign, []string{"journals"}, cause.OtherEnvironment},
		"one journal":   {foreign, []string{fleet.Journal("mesh-berlin-1")}, cause.OtherEnvironment}, // of two keys
		"both":          {mixed, with(collected, "staging"), cause.ForeignJournal},
		"neither":       {usual, collected, ""},
	} {
		r := examined(t, tt.e, tt.given)
		if got := first(r); got != tt.want {
			t.Errorf("%s: the first cause is %q, want %q", name, got, tt.want)
			logCauses(t, r)
		}
		if slices.ContainsFunc(r.Causes, func(c cause.Cause) bool { return c.Code != tt.want }) ||
			len(r.Causes) > 1 && tt.want == cause.OtherEnvironment {
			t.Errorf("%s: %d causes", name, len(r.Causes))
			logCauses(t, r)
		}
	}
}

// TestTrustFile takes keys out of the trust file, and puts other ones in their
// place.
func TestTrustFile(t *testing.T) {
	usual, other := fleettest.Evidence(t, fleet.Scene), elsewhere(t)
	for _, member := range []string{"nodes", "audit_keys", "protected_signer_keys"} {
		for key := range seal.Member(usual.Scene.Trust, member) {
			for want, change := range map[cause.Code]func(keys seal.Object){
				cause.TrustFileIncomplete: func(keys seal.Object) { delete(keys, key) },
				cause.TrustFileWrong:      func(keys seal.Object) { keys[key] = seal.Member(other.Scene.Trust, member)[key] },
			} {
				root := seal.CloneObject(usual.Scene.Trust)
				change(seal.Member(root, member))
				doc := seal.Canonical(root)
				if _, err := trust.Parse(doc); err != nil {
					continue // a file without any signer is none
				}
				e := usual.Clone()
				e.Files[fleet.TrustFile] = fleet.Bytes(doc)
				r := examined(t, e, collected)
				if got := first(r); got != want || !slices.Equal(r.Causes[0].KeyIDs, []string{key}) {
					t.Errorf("%s: the first cause is %q, want %q", key, got, want)
					logCauses(t, r)
				}
				if len(r.Causes) > 1 {
					t.Errorf("%s, %s: there are other causes", want, key)
					logCauses(t, r)
				}
			}
		}
	}
}
