package cloud

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/harness/seal"
)

// ErrWitnessPending is returned while too few nodes have witnessed the newest
// checkpoint. Its text is the service's error code.
var ErrWitnessPending = errors.New("audit_customer_witness_pending")

// Export returns the bundle of a transaction at the newest checkpoint, SPEC 7.1.
// The checkpoint must cover every event of the transaction, and enough nodes
// must have witnessed it.
func (c *Cloud) Export(t *Transaction) (seal.Object, error) {
	if t.Issued == nil {
		return nil, fmt.Errorf("transaction %s: no certificate was issued, so there is no evidence to export",
			t.Case.TransactionID)
	}
	if c.checkpoint == nil {
		return nil, fmt.Errorf("there is no checkpoint")
	}
	if have := int64(len(c.receipts)); have < c.requiredWitnesses {
		return nil, fmt.Errorf("%w (%d/%d)", ErrWitnessPending, have, c.requiredWitnesses)
	}
	events := []seal.Object{t.issuance}
	if t.revocation != nil {
		events = append(events, t.revocationEvent)
	}
	path, err := c.log.Path(c.newestSequence(), events...)
	if err != nil {
		return nil, err
	}
	bundle := seal.Object{
		"protocol":            "svc.evidence-bundle.v1",
		"manifest":            t.manifest,
		"certificates":        []any{seal.Base64(t.Issued.Leaf), seal.Base64(t.Issued.Issuer)},
		"status":              c.statusOf(t),
		"approvals":           seal.Objects(t.Case.Approvals),
		"decisions":           seal.Object{"customer": t.Case.Customer, "service": t.Case.Service},
		"capability_evidence": seal.Objects(t.Case.Capability),
		"signer_registries":   seal.Objects(namedRegistries(t)),
		"signer_receipt":      t.Issued.Receipt,
		"audit_path":          path,
		"checkpoint":          c.checkpoint,
		"witness_receipts":    seal.Objects(c.newestReceipts()),
	}
	if t.revocation != nil {
		bundle["revocation_receipt"] = t.revocation
	}
	return seal.CloneObject(bundle), nil
}

// statusOf returns the cloud's statement on the transaction's status at the newest checkpoint.
func (c *Cloud) statusOf(t *Transaction) seal.Object {
	statement := seal.Object{
		"protocol":          "svc.evidence-status.v1",
		"tenant_id":         c.roster.TenantID,
		"transaction_id":    t.Case.TransactionID,
		"manifest_sha256":   seal.Digest(t.manifest),
		"checkpoint_sha256": seal.StatementDigest(c.checkpoint),
		"status":            "issued",
	}
	if t.revocation != nil {
		statement["status"] = "revoked"
		statement["revocation_receipt_sha256"] = seal.StatementDigest(t.revocation)
	}
	return seal.Seal(statement, c.key)
}

// namedRegistries returns the registries that the receipts name, by generation.
func namedRegistries(t *Transaction) []seal.Object {
	list := []seal.Object{t.Issued.Registry}
	if t.revocation != nil && seal.Digest(t.revocationRegistry) != seal.Digest(t.Issued.Registry) {
		list = append(list, t.revocationRegistry)
	}
	slices.SortFunc(list, func(a, b seal.Object) int {
		return cmp.Compare(seal.Integer(a, "generation"), seal.Integer(b, "generation"))
	})
	return list
}
