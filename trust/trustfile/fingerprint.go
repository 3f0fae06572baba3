package trustfile

import (
	"fmt"

	"github.com/svc-edge/svc-verify/trust"
)

// Fingerprint is the digest of one pinned key or registry.
type Fingerprint struct {
	Role   string `json:"role"` // the role of the key, or registry
	ID     string `json:"id"`   // of the key, or the generation of the registry
	SHA256 string `json:"sha256"`
}

// Fingerprints returns the fingerprints of everything that the trust file pins:
// the keys by role and id, then the registries by generation.
func Fingerprints(root *trust.Root) []Fingerprint {
	var all []Fingerprint
	for _, role := range trust.Roles {
		for _, k := range root.Keys(role) {
			all = append(all, Fingerprint{string(role), k.ID, k.Public.Fingerprint()})
		}
	}
	for _, g := range root.Registries() {
		pin, _ := root.Registry(g)
		all = append(all, Fingerprint{"registry", fmt.Sprint(g), fmt.Sprintf("%x", pin)})
	}
	return all
}

// Shown lists the pins of a trust file, and who could together forge a proof that it accepts.
type Shown struct {
	Schema       string        `json:"schema"`
	SHA256       string        `json:"trust_sha256"`
	Fingerprints []Fingerprint `json:"fingerprints"`
	Exposure
}

// Show returns the pins of a trust file, and who could together forge a proof if the caller
// demands so many approvals.
func Show(root *trust.Root, minimumApprovals int) Shown {
	return Shown{"svc-verify/trust-show/v1", fmt.Sprintf("%x", root.SHA256()), Fingerprints(root),
		Explain(root, minimumApprovals)}
}
