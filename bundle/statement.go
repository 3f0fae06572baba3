package bundle

import (
	"time"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/trust"
)

// The protocol identifiers of the parts of a bundle (SPEC 3.3, 7).
const (
	ProtocolBundle       = "svc.evidence-bundle.v1"
	ProtocolManifest     = "svc.evidence-manifest.v1"
	ProtocolApproval     = "svc.approval.v1"
	ProtocolDecision     = "svc.decision.v1"
	ProtocolCapability   = "svc.capability-evidence.v1"
	ProtocolRegistry     = "svc.signer-registry.v1"
	ProtocolReceipt      = "svc.signer-receipt.v1"
	ProtocolRevocation   = "svc.revocation-receipt.v1"
	ProtocolStatus       = "svc.evidence-status.v1"
	ProtocolCheckpoint   = "svc.audit-checkpoint.v1"
	ProtocolCheckpointV0 = "svc.audit-checkpoint.v0"
	ProtocolWitness      = "svc.witness-receipt.v1"
)

// The words with a meaning for the verdict.
const (
	Allow    = "allow"
	Deny     = "deny"
	Customer = "customer"
	Service  = "service"
	Issued   = "issued"
	Revoked  = "revoked"

	IssuanceCompleted  = event.IssuanceCompleted
	CertificateRevoked = event.CertificateRevoked
)

// Hash is a SHA-256 digest of canonical bytes.
type Hash = chain.Hash

// Subject is the tenant and the transaction that a statement is about.
type Subject struct{ TenantID, TransactionID string }

// Terms are the agreed terms of an issuance (SPEC 7.2). Two terms are the same
// exactly if their canonical bytes are.
type Terms struct {
	Canonical         []byte
	WorkloadProfile   string
	Algorithm         string
	LifetimeSeconds   int64
	PolicyVersion     int64
	PolicySHA256      Hash
	RequiredApprovals int64
	Names             []string
	ExtendedKeyUsages []string
	PublicKeySHA256   Hash
}

// Manifest lists the digests of all parts of the bundle (SPEC 7.4). It is not
// signed; the issuance event commits to Digest.
type Manifest struct {
	Subject
	Digest           Hash
	Terms            Terms
	Approvals        []ManifestApproval
	CustomerDecision Hash
	ServiceDecision  Hash
	Capability       []Hash
	RegistryVersion  int64
	Registry         Hash
	Receipt          Hash
	Certificate      Hash
	Serial           string
	Issuer           Hash
}

// ManifestApproval names one approval: the node and the statement's digest.
type ManifestApproval struct {
	NodeID string
	Digest Hash
}

// Approval is one node's decision on the terms (SPEC 7.5).
type Approval struct {
	Subject
	NodeID     string
	Decision   string
	Terms      Terms
	Capability []Hash
	DecidedAt  time.Time
	ExpiresAt  time.Time
}

// Signatory returns the approving node.
func (a Approval) Signatory() trust.Signatory {
	return trust.Signatory{Role: trust.Node, Node: a.NodeID}
}

// Decision is the decision of one trust domain (SPEC 7.6). Only the customer's
// decision has NodeID and Approvals.
type Decision struct {
	Subject
	TrustDomain string
	Decision    string
	Terms       Terms
	Capability  []Hash
	DecidedAt   time.Time
	NodeID      string
	Approvals   []Hash
}

// Signatory returns the deciding node for the customer's decision, and the audit
// role for the service's.
func (d Decision) Signatory() trust.Signatory {
	if d.TrustDomain == Customer {
		return trust.Signatory{Role: trust.Node, Node: d.NodeID}
	}
	return trust.Signatory{Role: trust.Audit}
}

// CapabilityEvidence is a node's observation of a workload (SPEC 7.7).
type CapabilityEvidence struct {
	TenantID        string
	NodeID          string
	WorkloadProfile string
	Capability      string
	ObservedAt      time.Time
	ExpiresAt       time.Time
}

// Signatory returns the observing node.
func (c CapabilityEvidence) Signatory() trust.Signatory {
	return trust.Signatory{Role: trust.Node, Node: c.NodeID}
}

// Registry is one generation of the signer registry (SPEC 7.8). It is not
// signed; the trust file pins Digest.
type Registry struct {
	Digest     Hash
	Generation int64
	Signers    []RegistrySigner
	CreatedAt  time.Time
	Pointer    string
}

// RegistrySigner is a signer in a registry, with its algorithms and issuers.
type RegistrySigner struct {
	KeyID      string
	PublicKey  trust.PublicKey
	Algorithms []string
	Issuers    []Hash // digests of issuers' public keys (SPKI)
}

// SignerReceipt is the protected signer's statement that it issued a certificate
// (SPEC 7.9).
type SignerReceipt struct {
	Subject
	Terms              Terms
	CustomerDecision   Hash
	ServiceDecision    Hash
	RegistryGeneration int64
	Certificate        Hash
	Serial             string
	NotBefore          time.Time
	NotAfter           time.Time
	IssuedAt           time.Time
}

// Signatory returns the role of protected signers.
func (SignerReceipt) Signatory() trust.Signatory { return trust.Signatory{Role: trust.Signer} }

// RevocationReceipt is the protected signer's statement that it revoked a
// certificate (SPEC 7.10).
type RevocationReceipt struct {
	Subject
	Certificate        Hash
	Serial             string
	RegistryGeneration int64
	RevokedAt          time.Time
	Reason             string
}

// Signatory returns the role of protected signers.
func (RevocationReceipt) Signatory() trust.Signatory { return trust.Signatory{Role: trust.Signer} }

// Status is the service's statement about the transaction at one checkpoint
// (SPEC 7.11). RevocationReceipt is nil if the status does not name one.
type Status struct {
	Subject
	Manifest          Hash
	Checkpoint        Hash
	Status            string
	RevocationReceipt *Hash
}

// Signatory returns the audit role.
func (Status) Signatory() trust.Signatory { return trust.Signatory{Role: trust.Audit} }

// Checkpoint is the signed head of a log (SPEC 5.1). RequiredWitnesses is 0 only
// in the legacy protocol v0.
type Checkpoint struct {
	Protocol          string
	TenantID          string
	LogID             string
	Sequence          uint64
	Head              Hash
	RequiredWitnesses int64
	CreatedAt         time.Time
}

// Legacy reports whether the checkpoint is from before witnessing.
func (c Checkpoint) Legacy() bool { return c.Protocol == ProtocolCheckpointV0 }

// Signatory returns the audit role.
func (Checkpoint) Signatory() trust.Signatory { return trust.Signatory{Role: trust.Audit} }

// WitnessReceipt is a node's statement that it replayed the log up to a
// checkpoint (SPEC 5.1).
type WitnessReceipt struct {
	TenantID    string
	LogID       string
	NodeID      string
	Checkpoint  Hash
	Sequence    uint64
	Head        Hash
	WitnessedAt time.Time
}

// Signatory returns the witnessing node.
func (w WitnessReceipt) Signatory() trust.Signatory {
	return trust.Signatory{Role: trust.Node, Node: w.NodeID}
}

// Event is one disclosed event of the tenant log (SPEC 4.2). Both event types
// that a bundle may disclose have Manifest; only certificate.revoked has
// RevocationReceipt.
type Event struct {
	event.Event
	Manifest          Hash
	RevocationReceipt Hash
}

// Signatory returns the audit role, which signs the tenant log.
func (Event) Signatory() trust.Signatory { return trust.Signatory{Role: trust.Audit} }

// PathLink is one link of the audit path. Event is nil if it is not disclosed.
type PathLink struct {
	Link    chain.Link
	Event   *trust.Sealed[Event]
	Pointer string
}
