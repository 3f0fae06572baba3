package verify

import (
	"slices"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/finding"
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
	defects []finding.Entry
}

// list is the check list of SPEC 8, in its order. The report, the verdict and
// the registry of codes are made from it. In the functions, a comment such as
// "8.16.2" stands for sentence 2 of SPEC 8.16.
var list = []check{
	{"8.1", "bundle.well-formed", "the bundle has the form of the specification", wellFormed, formDefects},
	{"8.2", "bundle.one-subject", "one tenant, transaction and log throughout", oneSubject, subjectDefects},
	{"8.3", "signatures.valid", "every signature is by a pinned key of its role", signaturesValid, signatureDefects},
	{"8.4", "checkpoint.witnessed", "a quorum of nodes witnessed this checkpoint", witnessed, witnessDefects},
	{"8.5", "path.proven", "the hash-chain path is unbroken", pathProven, pathDefects},
	{"8.6", "events.disclosed", "the log records the issuance, and nothing else is shown", eventsDisclosed, eventDefects},
	{"8.7", "manifest.committed", "the log commits to this manifest", manifestCommitted, committedDefects},
	{"8.8", "manifest.complete", "the manifest names every part", manifestComplete, partDefects},
	{"8.9", "terms.equal", "everyone agreed to the same terms", termsEqual, termsDefects},
	{"8.10", "approvals.quorum", "a quorum of nodes approved", approvalsQuorum, approvalDefects},
	{"8.11", "decisions.agree", "both trust domains allowed it", decisionsAgree, decisionDefects},
	{"8.12", "capability.bound", "the capability evidence is what was relied on", capabilityBound, capabilityDefects},
	{"8.13", "registry.pinned", "the signer registry is the pinned one", registryPinned, registryDefects},
	{"8.14", "signer.authorised", "the registry lets this signer issue", signerAuthorised, signerDefects},
	{"8.15", "receipt.bound", "the signer acted on these decisions", receiptBound, receiptDefects},
	{"8.16", "certificate.identified", "the certificate is the one of the receipt", leafIdentified, identityDefects},
	{"8.17", "certificate.constrained", "the certificate has no power beyond the terms", leafConstrained, powerDefects},
	{"8.18", "certificate.issued", "the issuer signed the certificate", leafIssued, issuerDefects},
	{"8.19", "status.bound", "the status is of this checkpoint", statusBound, statusDefects},
	{"8.20", "revocation.complete", "revocation is shown whole or not at all", revocationComplete, revocationDefects},
	{"8.21", "times.ordered", "every step came in time", timesOrdered, timeDefects},
	{"8.22", statusFreshID, "the status is as recent as was asked for", statusFresh, freshDefects},
	{"8.23", statusWantedID, "the status is the one that was asked for", statusWanted, wantedDefects},
}

// The two checks that are made only if they are asked for. They are about what the
// caller wants of a proof, and not about whether it is genuine.
const (
	statusFreshID  CheckID = "status.fresh"
	statusWantedID CheckID = "status.wanted"
)

// onlyAsked reports whether a check is made only if it is asked for.
func (id CheckID) onlyAsked() bool { return id == statusFreshID || id == statusWantedID }

// checks returns the list of a verification with this policy.
func (p Policy) checks() []check {
	return slices.DeleteFunc(slices.Clone(list), func(c check) bool {
		return c.id == statusFreshID && !p.asksFresh() || c.id == statusWantedID && !p.asksStatus()
	})
}
