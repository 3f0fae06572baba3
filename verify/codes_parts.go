package verify

import (
	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/trust"
)

// The codes of SPEC 8.2.
const (
	OtherTenant      Code = "subject.other-tenant"
	OtherTransaction Code = "subject.other-transaction"
	OtherLog         Code = "subject.other-log"
	NotAskedFor      Code = "subject.not-asked-for"
)

var subjectDefects = []finding.Entry{
	{Code: OtherTenant, Sentence: "{path} is of another tenant",
		Arises: "A statement of another tenant was put into this bundle.", Next: suspect},
	{Code: OtherTransaction, Sentence: "{path} is of another transaction",
		Arises: "A statement of another transaction was put into this bundle.", Next: suspect},
	{Code: OtherLog, Sentence: "{path} is of another log",
		Arises: "The checkpoint, a receipt or an event is of a log that is not the tenant's.", Next: suspect},
	{Code: NotAskedFor, Sentence: "{path} is not what was asked for",
		Arises: "The bundle may be genuine, but is about something else.",
		Next:   "Ask for the bundle of the transaction or certificate in question."},
}

var signatureDefects = []finding.Entry{
	{Code: trust.KeyUnknown,
		Arises: "The signer is not pinned for this role: the trust file is incomplete, or someone else signed.",
		Next:   pinOnly},
	{Code: trust.KeyOfOtherNode, Arises: "A node's statement is signed with another node's key.",
		Next: suspect},
	{Code: trust.SignatureInvalid,
		Arises: "The statement was changed after it was signed, or the signature was made for something else.",
		Next:   suspect},
}

// ManifestNotCommitted is the code of SPEC 8.7.
const ManifestNotCommitted Code = "manifest.not-committed"

var committedDefects = []finding.Entry{
	{Code: ManifestNotCommitted, Sentence: "{path} names another manifest",
		Arises: "The log committed to another manifest than the one shown.", Next: suspect},
}

// The codes of SPEC 8.8.
const (
	PartDiffers Code = "manifest.part-differs"
	PartMissing Code = "manifest.part-missing"
	PartUnnamed Code = "manifest.part-unnamed"
)

var partDefects = []finding.Entry{
	{Code: PartDiffers, Sentence: "{path} has another digest",
		Arises: "A part was exchanged after the manifest was made.", Next: suspect},
	{Code: PartMissing, Arises: "A part that the manifest names was removed.", Next: rebuild},
	{Code: PartUnnamed, Arises: "A part was added that the manifest does not name.", Next: suspect},
}

// TermsDiffer is the code of SPEC 8.9.
const TermsDiffer Code = "terms.differ"

var termsDefects = []finding.Entry{
	{Code: TermsDiffer, Sentence: "{path} differs from the manifest's terms",
		Arises: "Someone agreed to other terms than those of the manifest.", Next: suspect},
}

// The codes of SPEC 8.10.
const (
	ApprovalDenied Code = "approval.denied"
	ApprovalQuorum Code = "approval.under-quorum"
)

var approvalDefects = []finding.Entry{
	{Code: ApprovalDenied, Arises: "A node refused; a refusal is no approval.", Next: askNode},
	{Code: ApprovalQuorum, Arises: "Too few distinct nodes approved.", Next: askNode},
}

// The codes of SPEC 8.11.
const (
	DecisionDenied        Code = "decision.denied"
	DecisionNotByApprover Code = "decision.not-by-approver"
	DecisionApprovals     Code = "decision.other-approvals"
)

var decisionDefects = []finding.Entry{
	{Code: DecisionDenied, Arises: "A trust domain refused, and a certificate was issued all the same.",
		Next: "Treat the certificate as misissued and have it revoked."},
	{Code: DecisionNotByApprover, Arises: "The customer's decision is by a node that did not approve.",
		Next: askNode},
	{Code: DecisionApprovals, Arises: "The customer's decision rests on other approvals than those shown.",
		Next: suspect},
}

// The codes of SPEC 8.12.
const (
	EvidenceOtherWorkload Code = "capability.other-workload"
	EvidenceNotAsListed   Code = "capability.not-as-listed"
	EvidenceNotAsReliedOn Code = "capability.not-as-relied-on"
)

var capabilityDefects = []finding.Entry{
	{Code: EvidenceOtherWorkload, Arises: "The capability evidence is about another workload.", Next: suspect},
	{Code: EvidenceNotAsListed, Sentence: "{path} is not what the manifest lists",
		Arises: "Capability evidence was removed or added.", Next: rebuild},
	{Code: EvidenceNotAsReliedOn, Sentence: "{path} is not what was relied on",
		Arises: "The manifest hides or invents capability evidence.", Next: suspect},
}
