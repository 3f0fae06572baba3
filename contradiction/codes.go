package contradiction

import (
	"slices"

	"github.com/svc-edge/svc-verify/verify"
)

// commonLimitations lists what a contradiction of two bundles does not prove.
func commonLimitations(reports []*verify.Report) []verify.Limitation {
	all := []verify.Limitation{verify.LimitationOf(holderNotShown)}
	for _, code := range []Code{retiredKeys, legacy, legacyBefore} {
		for _, r := range reports {
			i := slices.IndexFunc(r.Limitations, func(l verify.Limitation) bool { return l.Code == code })
			if i >= 0 {
				all = append(all, r.Limitations[i])
				break
			}
		}
	}
	return all
}
