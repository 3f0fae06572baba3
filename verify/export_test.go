package verify

import (
	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/trust"
)

// VerifyWithout is Verify with one check taken off the list.
func VerifyWithout(in *bundle.Input, root *trust.Root, policy Policy, id CheckID) *Report {
	return verify(in, root, policy, trial{without: id})
}

// VerifyTold is Verify that tells of every requirement that it examines, and
// whether it held, from within the call that examines it.
func VerifyTold(in *bundle.Input, root *trust.Root, policy Policy, told func(f Finding, held bool)) *Report {
	return verify(in, root, policy, trial{told: told})
}

// CheckIDs lists the checks in their order.
func CheckIDs() []CheckID {
	var ids []CheckID
	for _, c := range checkList {
		ids = append(ids, c.id)
	}
	return ids
}
