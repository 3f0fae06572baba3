package cloud

import (
	"fmt"

	"github.com/svc-edge/svc-verify/harness/eventtype"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/harness/signer"
)

// Complete accepts the signer's result, writes the manifest, and logs the issuance, which
// commits to the manifest, SPEC 7.4. If it is too late for that, the error is
// [consent.ErrLate] and the transaction has no certificate: the caller must have it revoked,
// and report this with [Cloud.NeverReleased], SPEC 8.21.
func (c *Cloud) Complete(t *Transaction, issued *signer.Issued) error {
	if t.Issued != nil {
		return fmt.Errorf("transaction %s is issued already", t.Case.TransactionID)
	}
	receipt, err := c.roster.Open(issued.Receipt, "svc.signer-receipt.v1", "transaction_id", t.Case.TransactionID,
		"certificate_sha256", seal.SHA256(issued.Leaf))
	if err != nil {
		return fmt.Errorf("signer receipt: %w", err)
	}
	at, err := seal.ParseTime(seal.Text(receipt, "issued_at"))
	if err != nil {
		return fmt.Errorf("signer receipt: issued_at: %w", err)
	}
	now := c.clock.Next()
	if err := t.Case.CheckRecording(at, now); err != nil {
		return err
	}
	t.Issued = issued
	t.manifest = c.newManifest(t, receipt)
	t.issuance = c.recordAt(now, eventtype.IssuanceCompleted, t.Case.TransactionID, seal.Object{
		"manifest_sha256": seal.Digest(t.manifest),
	})
	return nil
}

// NeverReleased logs that the transaction is denied although the signer issued a
// certificate for it, which no one was given and which the signer revoked,
// SPEC 8.21.
func (c *Cloud) NeverReleased(t *Transaction, issued *signer.Issued, revocation seal.Object, code,
	detail string) error {
	receipt, err := c.roster.Open(revocation, "svc.revocation-receipt.v1", "certificate_sha256", seal.SHA256(issued.Leaf))
	if err != nil {
		return fmt.Errorf("revocation receipt: %w", err)
	}
	c.recordEvent(eventtype.IssuanceDenied, t.Case.TransactionID, seal.Object{
		"code": code, "detail": detail, "certificate_sha256": receipt["certificate_sha256"],
		"certificate_serial": receipt["certificate_serial"], "revocation_receipt_sha256": seal.Digest(receipt),
	})
	return nil
}

func (c *Cloud) newManifest(t *Transaction, receipt seal.Object) seal.Object {
	approvals := make([]any, len(t.Case.Approvals))
	for i, approval := range t.Case.Approvals {
		approvals[i] = seal.Object{"node_id": seal.NodeOf(approval), "sha256": seal.StatementDigest(approval)}
	}
	return seal.Object{
		"protocol":       "svc.evidence-manifest.v1",
		"tenant_id":      c.roster.TenantID,
		"transaction_id": t.Case.TransactionID,
		"terms":          t.Case.Terms,
		"approvals":      approvals,
		"decisions": seal.Object{
			"customer_sha256": seal.StatementDigest(t.Case.Customer),
			"service_sha256":  seal.StatementDigest(t.Case.Service),
		},
		"capability_evidence": seal.Strings(seal.StatementDigests(t.Case.Capability)),
		"signer_registry": seal.Object{
			"generation": t.Issued.Registry["generation"],
			"sha256":     seal.Digest(t.Issued.Registry),
		},
		"signer_receipt_sha256": seal.Digest(receipt),
		"certificate": seal.Object{
			"sha256": receipt["certificate_sha256"],
			"serial": receipt["certificate_serial"],
		},
		"issuer_sha256": seal.SHA256(t.Issued.Issuer),
	}
}

// RecordRevocation logs the signer's revocation of the certificate, SPEC 7.10,
// with the registry under which the signer made it.
func (c *Cloud) RecordRevocation(t *Transaction, receipt, registry seal.Object) error {
	if t.Issued == nil || t.revocation != nil {
		return fmt.Errorf("transaction %s has no certificate in force", t.Case.TransactionID)
	}
	statement, err := c.roster.Open(receipt, "svc.revocation-receipt.v1", "certificate_sha256", seal.SHA256(t.Issued.Leaf))
	if err != nil {
		return fmt.Errorf("revocation receipt: %w", err)
	}
	t.revocation, t.revocationRegistry = receipt, registry
	t.revocationEvent = c.recordEvent(eventtype.CertificateRevoked, t.Case.TransactionID, seal.Object{
		"manifest_sha256":           seal.Digest(t.manifest),
		"revocation_receipt_sha256": seal.Digest(statement),
	})
	return nil
}
