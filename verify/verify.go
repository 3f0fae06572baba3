package verify

import (
	"time"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/trust"
)

// MostApprovals is how many approvals a bundle can have, and so the most that
// anyone can ask for (SPEC 2.4).
const MostApprovals = form.MaxList

// Policy is what the fixed fields of the trust file cannot say (SPEC 2.4), and
// what the caller wants the bundle to be about. The zero Policy demands nothing
// beyond the trust file; what it leaves open is among the report's limitations.
type Policy struct {
	MinimumApprovals int       // at least so many approving nodes, up to MostApprovals, whatever the terms demand
	LegacyBefore     time.Time // latest creation of a legacy checkpoint; zero: any
	TenantID         string    // the bundle must be about this tenant
	TransactionID    string    // … this transaction
	Certificate      []byte    // … this very certificate, in DER
}

// Verify runs every check of SPEC 8 on the bundle, in this order, and does not
// stop at the first failure. A check whose input was not established is
// skipped. It never panics on any input of bundle.Open, and changes nothing
// that it is given.
func Verify(in *bundle.Input, root *trust.Root, policy Policy) *Report {
	return verify(in, root, policy, trial{})
}

// verify is Verify as a test may try it.
func verify(in *bundle.Input, root *trust.Root, policy Policy, trial trial) *Report {
	r := newRun(in, root, policy, trial)

	b := check(r, BundleWellFormed, given(in), r.wellFormed)              // SPEC 8.1
	_ = check(r, BundleOneSubject, b, r.oneSubject)                       // SPEC 8.2
	keys := check(r, SignaturesValid, b, r.signaturesValid)               // SPEC 8.3
	_ = check(r, CheckpointWitnessed, both(b, keys), r.witnessed)         // SPEC 8.4
	_ = check(r, PathProven, b, r.pathProven)                             // SPEC 8.5
	events := check(r, EventsDisclosed, b, r.eventsDisclosed)             // SPEC 8.6
	_ = check(r, ManifestCommitted, both(b, events), r.manifestCommitted) // SPEC 8.7
	_ = check(r, ManifestComplete, b, r.manifestComplete)                 // SPEC 8.8
	_ = check(r, TermsEqual, b, r.termsEqual)                             // SPEC 8.9
	_ = check(r, ApprovalsQuorum, both(b, keys), r.approvalsQuorum)       // SPEC 8.10
	_ = check(r, DecisionsAgree, b, r.decisionsAgree)                     // SPEC 8.11
	_ = check(r, CapabilityBound, b, r.capabilityBound)                   // SPEC 8.12
	_ = check(r, RegistryPinned, b, r.registryPinned)                     // SPEC 8.13
	_ = check(r, SignerAuthorised, b, r.signerAuthorised)                 // SPEC 8.14
	_ = check(r, ReceiptBound, b, r.receiptBound)                         // SPEC 8.15
	_ = check(r, CertificateIdentified, b, r.certificateIdentified)       // SPEC 8.16
	_ = check(r, CertificateConstrained, b, r.certificateConstrained)     // SPEC 8.17
	_ = check(r, CertificateIssued, b, r.certificateIssued)               // SPEC 8.18
	_ = check(r, StatusBound, b, r.statusBound)                           // SPEC 8.19
	_ = check(r, RevocationComplete, both(b, events), r.revocation)       // SPEC 8.20
	_ = check(r, TimesOrdered, both(b, events), r.timesOrdered)           // SPEC 8.21

	return r.close(b, keys)
}
