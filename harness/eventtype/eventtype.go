// Package eventtype names the types of events in audit logs (SPEC 4.4).
//
// The verifier has names of its own: a type that one of the two misspells is found.
package eventtype

// Types of the tenant log whose data is closed.
const (
	ApprovalRecorded   = "approval.recorded"
	DecisionRecorded   = "decision.recorded"
	IssuanceCompleted  = "issuance.completed"
	CertificateRevoked = "certificate.revoked"
	NodeReported       = "node.reported"
)

// Types of a node's journal whose data is closed.
const (
	ApprovalSigned      = "approval.signed"
	CheckpointWitnessed = "checkpoint.witnessed"
	CapabilityObserved  = "capability.observed"
)

// Further types of the tenant log.
const (
	IssuanceRequested         = "issuance.requested"
	IssuanceDenied            = "issuance.denied"
	IssuancePaused            = "issuance.paused"
	IssuanceResumed           = "issuance.resumed"
	BreakGlassResumeRequested = "break_glass.resume_requested"
	BreakGlassResumeExpired   = "break_glass.resume_expired"
	NodeEnrolled              = "node.enrolled"
	NodeDisabled              = "node.disabled"
	RevocationRequested       = "revocation.requested"
	IntegrationChanged        = "integration.changed"
	ServiceClaimed            = "service.claimed"
	PolicyPublished           = "policy.published"
	RegistryPublished         = "registry.published"
	KeyRotated                = "key.rotated"
)

// Further types of a node's journal.
const (
	PolicySynced     = "policy.synced"
	ApprovalDenied   = "approval.denied"
	DecisionSigned   = "decision.signed"
	IdentityRotated  = "identity.rotated"
	ExportConfigured = "export.configured"
)

// Types of the events of a node's secret-store adapter.
const (
	StoreBootstrapped         = "store.bootstrapped"
	StoreRepaired             = "store.repaired"
	StoreWithdrawn            = "store.withdrawn"
	RotationWriteStarted      = "rotation.write_started"
	RotationGenerationWritten = "rotation.generation_written"
	RotationPointerMoved      = "rotation.pointer_moved"
	RotationPromotionStarted  = "rotation.promotion_started"
	RotationReleased          = "rotation.released"
	RotationReloaded          = "rotation.reloaded"
	RotationRollbackStarted   = "rotation.rollback_started"
	RotationRolledBack        = "rotation.rolled_back"
	RotationStagingStarted    = "rotation.staging_started"
)

// Closed reports whether the data of a type of the tenant log is closed: no member
// may be added to it.
func Closed(eventType string) bool {
	switch eventType {
	case ApprovalRecorded, DecisionRecorded, IssuanceCompleted, CertificateRevoked, NodeReported:
		return true
	}
	return false
}

// Rotation is the type of the event by which a rotation gets a status, in either
// log.
func Rotation(status string) string { return "rotation." + status }
