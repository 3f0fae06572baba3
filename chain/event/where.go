package event

// The types of events with open data that pause and resume issuance (SPEC 4.4).
const (
	IssuancePaused  = "issuance.paused"
	IssuanceResumed = "issuance.resumed"
	ResumeRequested = "break_glass.resume_requested"
	ResumeExpired   = "break_glass.resume_expired"
)

// TenantTypes are the types that occur in tenant logs only (SPEC 4.4).
var TenantTypes = []string{ApprovalRecorded, DecisionRecorded, IssuanceCompleted, CertificateRevoked, NodeReported,
	"issuance.requested", IssuancePaused, ResumeRequested, ResumeExpired, IssuanceResumed, "issuance.denied",
	"node.enrolled", "node.disabled", "revocation.requested", "integration.changed", "service.claimed",
	"policy.published", "registry.published", "key.rotated"}

// NodeTypes are the types that occur in journals of nodes only (SPEC 4.4).
var NodeTypes = []string{ApprovalSigned, CheckpointWitness, CapabilityObserved,
	"policy.synced", "approval.denied", "decision.signed", "identity.rotated", "export.configured"}
