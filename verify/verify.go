package verify

import (
	"time"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/trust"
)

// Rules is the version of the rules by which this package judges. Bundle, trust file,
// policy and rules decide a verdict. It becomes another one whenever any bundle
// could get another verdict, code or place than before.
const Rules = "2"

// MostApprovals is the largest number of approvals in a bundle, and so the
// largest minimum that a caller can ask for (SPEC 2.4).
const MostApprovals = form.MaxList

// Policy adds to the demands of the trust file (SPEC 2.4), also on the subject of the bundle.
// The zero Policy adds nothing; the report lists its open questions among the limitations.
type Policy struct {
	MinimumApprovals int       // least number of approving nodes, up to MostApprovals, whatever the terms demand
	LegacyBefore     time.Time // latest creation of a legacy checkpoint; zero for any
	TenantID         string    // the bundle must be about this tenant; "" for any (SPEC 8.22)
	TransactionID    string    // the bundle must be about this transaction; "" for any
	Certificate      []byte    // the bundle must be about this certificate, in DER; nil for any
	DNSNames         []string  // the certificate must have each of these dns names (SPEC 7.3, without the prefix)
	Status           string    // the status must be this: bundle.Issued, bundle.Revoked or "" for any (SPEC 8.24)
	InForceAt        time.Time // the certificate must be in force at this time; zero for any (SPEC 8.25)

	// The status must be fresh (SPEC 8.23): the state of the log at most MaxAge
	// before At. Both are given or neither. MaxAge is in whole seconds, from 1
	// second to MostAge.
	At     time.Time
	MaxAge time.Duration
}

// Verify runs every check of SPEC 8 on the bundle, in the order of the list, and does not stop
// at the first failure. Checks 8.22 to 8.25 are in the list only if the policy asks for them.
// It changes none of its arguments and does not panic on any result of [bundle.Open].
func Verify(in *bundle.Input, root *trust.Root, policy Policy) *Report {
	r := &run{in: in, root: root, policy: policy}
	return r.reportOf(r.examineAll(policy.checks()))
}

// examineAll runs checks of the list.
func (r *run) examineAll(due []check) []Check {
	checks := make([]Check, len(due))
	for i, c := range due {
		checks[i] = Check{ID: c.id, Spec: c.spec, Title: c.title, Status: Skipped, Findings: []Finding{}}
		// The first check is about the document, the others about the parts in it.
		if i > 0 && r.in.Bundle == nil || c.id.ofProven() && !provenBy(checks[:i]) {
			continue
		}
		r.runCheck(c, &checks[i])
	}
	return checks
}
