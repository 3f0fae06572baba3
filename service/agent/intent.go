package agent

import (
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/adapter"
	"github.com/svc-edge/svc-verify/service/form"
)

// Promotion modes.
const (
	promotionManual    = "manual"
	promotionAutomatic = "automatic_after_health"
)

// policyChanged is the code of a rotation whose intent names another policy than
// the one in force (service/docs/service.md).
const policyChanged = "policy_changed"

// namesNotAllowed is the code of a rotation for names that the policy does not
// allow to its profile (service/docs/service.md).
const namesNotAllowed = "names_not_allowed"

// intent is what a rotation is to do, as a policy key signed it.
type intent struct {
	transaction  string
	bound        adapter.Desired // what the integration has to be all the time
	names        []string        // ascending, as in the terms, SPEC 1.7
	algorithm    string
	promotion    string
	policy       int64 // version
	policySHA256 string
}

// readIntent reads the statement of an intent, which has exactly these members.
func readIntent(statement seal.Object) (intent, error) {
	r := form.Read(statement)
	for _, name := range []string{"protocol", "tenant_id", "node_id"} {
		r.Text(name, form.Label) // whose they are is known
	}
	i := intent{
		transaction: r.Text("transaction_id", form.SubjectID),
		bound: adapter.Desired{
			IntegrationID: r.Text("integration_id", form.SubjectID), Kind: r.Text("kind", form.Identifier),
			AdapterReference: r.Text("adapter_reference", form.Label), ProfileID: r.Text("profile_id", form.Label),
			Revision: r.Number("revision", 1, form.Largest), Enabled: true,
		},
		names: r.Texts("names"), algorithm: r.Text("algorithm", form.Identifier),
		promotion: r.Word("promotion", promotionManual, promotionAutomatic),
		policy:    r.Number("policy_version", 1, form.Largest), policySHA256: r.Text("policy_sha256", form.Digest),
	}
	if n := len(i.names); n < 1 || n > maxList || !slices.IsSorted(i.names) ||
		len(slices.Compact(slices.Clone(i.names))) != n {
		r.Fail("names", "1 to %d different texts in ascending order", maxList)
	}
	if err := pki.CheckForm(i.names); err != nil {
		r.Fail("names", "names as in terms")
	}
	if _, err := seal.ParseTime(r.Text("issued_at", form.Label)); err != nil {
		r.Fail("issued_at", "a time")
	}
	return i, r.Close()
}

// intentOf is the intent of a stored rotation.
func intentOf(rotation seal.Object) (intent, error) {
	return readIntent(seal.Member(seal.Member(rotation, "intent"), "statement"))
}

// contradiction is why a rotation cannot go on that is bound to another desired
// state of its integration than the one of now, nil if it is the same.
func contradiction(want, now adapter.Desired) error {
	switch {
	case want == now:
		return nil
	case !now.Enabled:
		return adapter.NewFault(bindingCode(want.Kind, "integration_unavailable"),
			fmt.Errorf("integration %s is disabled", want.IntegrationID))
	}
	return adapter.NewFault(bindingCode(want.Kind, "integration_binding_mismatch"),
		fmt.Errorf("integration %s is at revision %d of %s %s, the rotation at %d of %s %s", want.IntegrationID,
			now.Revision, now.Kind, now.AdapterReference, want.Revision, want.Kind, want.AdapterReference))
}
