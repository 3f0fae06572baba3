package cloud

import (
	"fmt"

	"github.com/svc-edge/svc-verify/harness/signer"
	"github.com/svc-edge/svc-verify/harness/wire"
)

// Complete takes what the signer issued, writes the manifest, and logs the
// issuance, which commits to the manifest, SPEC 7.4. If it is too late for that,
// the error is [rules.ErrLate] and the transaction has no certificate: whoever
// called must have it revoked, and say so with [Cloud.NeverReleased], SPEC 8.21.
func (c *Cloud) Complete(t *Transaction, issued *signer.Issued) error {
	if t.Issued != nil {
		return fmt.Errorf("transaction %s is issued already", t.Case.TransactionID)
	}
	receipt, err := c.roster.Open(issued.Receipt, "svc.signer-receipt.v1")
	if err != nil {
		return fmt.Errorf("signer receipt: %w", err)
	}
	if found := wire.Text(receipt, "transaction_id"); found != t.Case.TransactionID {
		return fmt.Errorf("signer receipt: transaction_id: expected %s, found %q", t.Case.TransactionID, found)
	}
	if found := wire.Text(receipt, "certificate_sha256"); found != wire.SHA256(issued.Leaf) {
		return fmt.Errorf("signer receipt: certificate_sha256: expected %s, found %q", wire.SHA256(issued.Leaf), found)
	}
	at, err := wire.ParseTime(wire.Text(receipt, "issued_at"))
	if err != nil {
		return fmt.Errorf("signer receipt: issued_at: %w", err)
	}
	now := c.clock.Next()
	if err := t.Case.CheckRecording(at, now); err != nil {
		return err
	}
	t.Issued = issued
	t.manifest = c.newManifest(t, receipt)
	t.issuance = c.recordAt(now, "issuance.completed", t.Case.TransactionID, wire.Object{
		"manifest_sha256": wire.Digest(t.manifest),
	})
	return nil
}

// NeverReleased logs that the transaction is denied although the signer issued a
// certificate for it, which nobody was given and which the signer revoked,
// SPEC 8.21.
func (c *Cloud) NeverReleased(t *Transaction, issued *signer.Issued, revocation wire.Object, code, detail string) error {
	receipt, err := c.roster.Open(revocation, "svc.revocation-receipt.v1")
	if err != nil {
		return fmt.Errorf("revocation receipt: %w", err)
	}
	if found := wire.Text(receipt, "certificate_sha256"); found != wire.SHA256(issued.Leaf) {
		return fmt.Errorf("revocation receipt: certificate_sha256: expected %s, found %q", wire.SHA256(issued.Leaf), found)
	}
	c.record("issuance.denied", t.Case.TransactionID, wire.Object{
		"code": code, "detail": detail, "certificate_sha256": receipt["certificate_sha256"],
		"certificate_serial": receipt["certificate_serial"], "revocation_receipt_sha256": wire.Digest(receipt),
	})
	return nil
}

func (c *Cloud) newManifest(t *Transaction, receipt wire.Object) wire.Object {
	approvals := make([]any, len(t.Case.Approvals))
	for i, approval := range t.Case.Approvals {
		approvals[i] = wire.Object{"node_id": nodeOf(approval), "sha256": wire.StatementDigest(approval)}
	}
	return wire.Object{
		"protocol":       "svc.evidence-manifest.v1",
		"tenant_id":      c.roster.TenantID,
		"transaction_id": t.Case.TransactionID,
		"terms":          t.Case.Terms,
		"approvals":      approvals,
		"decisions": wire.Object{
			"customer_sha256": wire.StatementDigest(t.Case.Customer),
			"service_sha256":  wire.StatementDigest(t.Case.Service),
		},
		"capability_evidence": wire.Strings(digests(t.Case.Capability)),
		"signer_registry": wire.Object{
			"generation": t.Issued.Registry["generation"],
			"sha256":     wire.Digest(t.Issued.Registry),
		},
		"signer_receipt_sha256": wire.Digest(receipt),
		"certificate": wire.Object{
			"sha256": receipt["certificate_sha256"],
			"serial": receipt["certificate_serial"],
		},
		"issuer_sha256": wire.SHA256(t.Issued.Issuer),
	}
}

// RecordRevocation logs the signer's revocation of the certificate, SPEC 7.10,
// with the registry under which the signer made it.
func (c *Cloud) RecordRevocation(t *Transaction, receipt, registry wire.Object) error {
	if t.Issued == nil || t.revocation != nil {
		return fmt.Errorf("transaction %s has no certificate in force", t.Case.TransactionID)
	}
	statement, err := c.roster.Open(receipt, "svc.revocation-receipt.v1")
	if err != nil {
		return fmt.Errorf("revocation receipt: %w", err)
	}
	if found := wire.Text(statement, "certificate_sha256"); found != wire.SHA256(t.Issued.Leaf) {
		return fmt.Errorf("revocation receipt: certificate_sha256: expected %s, found %q", wire.SHA256(t.Issued.Leaf), found)
	}
	t.revocation, t.revocationRegistry = receipt, registry
	t.revocationEvent = c.record("certificate.revoked", t.Case.TransactionID, wire.Object{
		"manifest_sha256":           wire.Digest(t.manifest),
		"revocation_receipt_sha256": wire.Digest(statement),
	})
	return nil
}
