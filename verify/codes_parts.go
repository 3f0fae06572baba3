package verify

import "github.com/svc-edge/svc-verify/trust"

// The codes of SPEC 8.2.
const (
	OtherTenant      Code = "subject.other-tenant"
	OtherTransaction Code = "subject.other-transaction"
	OtherLog         Code = "subject.other-log"
	NotAskedFor      Code = "subject.not-asked-for"
)

var subjectDefects = []Defect{
	{OtherTenant, "8.2", "{path} is of another tenant: expected {expected}, found {found}",
		"A statement of another tenant was put into this bundle.", suspect},
	{OtherTransaction, "8.2", "{path} is of another transaction: expected {expected}, found {found}",
		"A statement of another transaction was put into this bundle.", suspect},
	{OtherLog, "8.2", "{path} is of another log: expected {expected}, found {found}",
		"The checkpoint, a receipt or an event is of a log that is not the tenant's.", suspect},
	{NotAskedFor, "8.2", "{path} is not what was asked for: expected {expected}, found {found}",
		"The bundle may be genuine, but is about something else.",
		"Ask for the bundle of the transaction or certificate in question."},
}

var signatureDefects = []Defect{
	{trust.KeyUnknown, "8.3", plain,
		"The signer is not pinned for this role: the trust file is incomplete, or someone else signed.", pinOnly},
	{trust.KeyOfOtherNode, "8.3", plain,
		"A node's statement is signed with another node's key.", suspect},
	{trust.SignatureInvalid, "8.3", plain,
		"The statement was changed after it was signed, or the signature was made for something else.", suspect},
}

// ManifestNotCommitted is the code of SPEC 8.7.
const ManifestNotCommitted Code = "manifest.not-committed"

var committedDefects = []Defect{
	{ManifestNotCommitted, "8.7", "{path} names another manifest: expected {expected}, found {found}",
		"The log committed to another manifest than the one shown.", suspect},
}

// The codes of SPEC 8.8.
const (
	PartDiffers Code = "manifest.part-differs"
	PartMissing Code = "manifest.part-missing"
	PartUnnamed Code = "manifest.part-unnamed"
)

var partDefects = []Defect{
	{PartDiffers, "8.8", "{path} has another digest: expected {expected}, found {found}",
		"A part was exchanged after the manifest was made.", suspect},
	{PartMissing, "8.8", plain,
		"A part that the manifest names was removed.", rebuild},
	{PartUnnamed, "8.8", plain,
		"A part was added that the manifest does not name.", suspect},
}

// TermsDiffer is the code of SPEC 8.9.
const TermsDiffer Code = "terms.differ"

var termsDefects = []Defect{
	{TermsDiffer, "8.9", "{path} differs from the manifest's terms: expected {expected}, found {found}",
		"Someone agreed to other terms than those of the manifest.", suspect},
}

// The codes of SPEC 8.10.
const (
	ApprovalDenied Code = "approval.denied"
	ApprovalQuorum Code = "approval.under-quorum"
)

var approvalDefects = []Defect{
	{ApprovalDenied, "8.10", plain,
		"A node refused; a refusal is no approval.", askNode},
	{ApprovalQuorum, "8.10", plain,
		"Too few distinct nodes approved.", askNode},
}

// The codes of SPEC 8.11.
const (
	DecisionDenied        Code = "decision.denied"
	DecisionNotByApprover Code = "decision.not-by-approver"
	DecisionApprovals     Code = "decision.other-approvals"
)

var decisionDefects = []Defect{
	{DecisionDenied, "8.11", plain,
		"A trust domain refused, and a certificate was issued all the same.",
		"Treat the certificate as misissued and have it revoked."},
	{DecisionNotByApprover, "8.11", plain,
		"The customer's decision is by a node that did not approve.", askNode},
	{DecisionApprovals, "8.11", plain,
		"The customer's decision rests on other approvals than those shown.", suspect},
}

// The codes of SPEC 8.12.
const (
	EvidenceOtherWorkload Code = "capability.other-workload"
	EvidenceNotAsListed   Code = "capability.not-as-listed"
	EvidenceNotAsReliedOn Code = "capability.not-as-relied-on"
)

var capabilityDefects = []Defect{
	{EvidenceOtherWorkload, "8.12", plain,
		"The capability evidence is about another workload.", suspect},
	{EvidenceNotAsListed, "8.12", "{path} is not what the manifest lists: expected {expected}, found {found}",
		"Capability evidence was removed or added.", rebuild},
	{EvidenceNotAsReliedOn, "8.12", "{path} is not what was relied on: expected {expected}, found {found}",
		"The manifest hides or invents capability evidence.", suspect},
}
