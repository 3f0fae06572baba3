package verify

import (
	"slices"

	"github.com/svc-edge/svc-verify/bundle"
)

// CheckID names a check of the list. A published name is never changed, and
// never used for another check.
type CheckID string

// check is one check of the list. The bundle that its function gets is nil for
// the first check only.
type check struct {
	spec    string
	id      CheckID
	title   string
	examine func(*run, *bundle.Bundle)
}

// list is the check list of SPEC 8, in its order. The report and the verdict are made from it.
// In the functions, a comment such as "8.16.2" means sentence 2 of SPEC 8.16.
var list = []check{
	{"8.1", "bundle.well-formed", "the bundle has the form of the specification", wellFormed},
	{"8.2", "bundle.one-subject", "one tenant, transaction and log throughout", oneSubject},
	{"8.3", "signatures.valid", "every signature is by a pinned key of its role", signaturesValid},
	{"8.4", "checkpoint.witnessed", "a quorum of nodes witnessed this checkpoint", witnessed},
	{"8.5", "path.proven", "the hash-chain path is unbroken", pathProven},
	{"8.6", "events.disclosed", "the log records the issuance, and nothing else is shown", eventsDisclosed},
	{"8.7", "manifest.committed", "the log commits to this manifest", manifestCommitted},
	{"8.8", "manifest.complete", "the manifest names every part", manifestComplete},
	{"8.9", "terms.equal", "everyone agreed to the same terms", termsEqual},
	{"8.10", "approvals.quorum", "a quorum of nodes approved", approvalsQuorum},
	{"8.11", "decisions.agree", "both trust domains allowed it", decisionsAgree},
	{"8.12", "capability.bound", "the capability evidence is the one that was relied on", capabilityBound},
	{"8.13", "registry.pinned", "the signer registry is the pinned one", registryPinned},
	{"8.14", "signer.authorised", "the registry lets this signer issue", signerAuthorised},
	{"8.15", "receipt.bound", "the signer acted on these decisions", receiptBound},
	{"8.16", "certificate.identified", "the certificate is the one of the receipt", leafIdentified},
	{"8.17", "certificate.constrained", "the certificate has no power beyond the terms", leafConstrained},
	{"8.18", "certificate.issued", "the issuer signed the certificate", leafIssued},
	{"8.19", "status.bound", "the status is of this checkpoint", statusBound},
	{"8.20", "revocation.complete", "revocation is shown whole or not at all", revocationComplete},
	{"8.21", "times.ordered", "every step came in time", timesOrdered},
	{"8.22", subjectWantedID, "the proof is about the requested subject", subjectWanted},
	{"8.23", statusFreshID, "the status is as recent as requested", statusFresh},
	{"8.24", statusWantedID, "the status is the requested one", statusWanted},
	{"8.25", inForceID, "the certificate is in force when it was asked about", inForce},
}

// The checks that are made only on request. They are about the caller's demands, and not about
// whether a proof is genuine.
const (
	subjectWantedID CheckID = "subject.wanted"
	statusFreshID   CheckID = "status.fresh"
	statusWantedID  CheckID = "status.wanted"
	inForceID       CheckID = "certificate.in-force"
)

// demands reports of each of these checks whether a policy asks for it.
var demands = map[CheckID]func(Policy) bool{
	subjectWantedID: Policy.asksSubject,
	statusFreshID:   Policy.asksFresh,
	statusWantedID:  func(p Policy) bool { return p.Status != "" },
	inForceID:       func(p Policy) bool { return !p.InForceAt.IsZero() },
}

// Unmet describes in a few words the unmet demand on a genuine proof, by the finding that
// decides; "" if the finding is about whether the proof is genuine.
func (a *About) Unmet(code Code) string {
	for _, id := range code.Entry().Checks {
		switch CheckID(id) {
		case subjectWantedID:
			return "about something else"
		case statusFreshID:
			return "not of the time that was asked about"
		case statusWantedID:
			return a.Status
		case inForceID:
			return "not in force"
		}
	}
	return ""
}

// onlyAsked reports whether a check is made only on demand.
func (id CheckID) onlyAsked() bool { return demands[id] != nil }

// ofProven reports whether a check is made of proven bundles only, so that its finding can say
// that the proof is genuine.
func (id CheckID) ofProven() bool { return id.onlyAsked() && id != statusFreshID }

// OfStatus reports whether a finding is about the use of a status (SPEC 8.23 to 8.25): a
// superseded proof neither satisfies nor fails that.
func OfStatus(code Code) bool {
	return slices.ContainsFunc(code.Entry().Checks, func(id string) bool {
		return CheckID(id).onlyAsked() && CheckID(id) != subjectWantedID
	})
}

// checks returns the list of a verification with this policy.
func (p Policy) checks() []check {
	return slices.DeleteFunc(slices.Clone(list), func(c check) bool { return c.id.onlyAsked() && !demands[c.id](p) })
}
