package cloud

import (
	"fmt"
	"iter"

	"github.com/svc-edge/svc-verify/harness/rules"
	"github.com/svc-edge/svc-verify/harness/signer"
	"github.com/svc-edge/svc-verify/harness/wire"
)

// Document is what the cloud must not forget beside its log, its policy and its
// transactions: the newest checkpoint with its receipts, and what nodes
// reported.
func (c *Cloud) Document() wire.Object {
	reported := wire.Object{}
	for id, report := range c.reported {
		reported[id] = report
	}
	o := wire.Object{"reported": reported}
	if c.checkpoint != nil {
		o["checkpoint"], o["receipts"] = c.checkpoint, wire.Objects(c.witnesses())
	}
	return o
}

// Restore brings a new cloud to where another one left off: its log, from the
// first event on, its document and the policy in force, nil if there was none.
// It fails if the log's events do not follow from one another.
func (c *Cloud) Restore(events iter.Seq2[wire.Object, error], document, policy wire.Object) error {
	for event, err := range events {
		if err != nil {
			return err
		}
		if err := c.log.Resume(event); err != nil {
			return err
		}
	}
	c.policy = policy
	for id := range wire.Member(document, "reported") {
		c.reported[id] = wire.Member(wire.Member(document, "reported"), id)
	}
	c.checkpoint = wire.Member(document, "checkpoint")
	c.receipts = map[string]wire.Object{}
	for _, receipt := range objects(document, "receipts") {
		c.receipts[nodeOf(receipt)] = receipt
	}
	if c.checkpoint != nil && c.checkpointed() > c.log.Sequence() {
		return fmt.Errorf("the log ends at %d, before the checkpoint of %d", c.log.Sequence(), c.checkpointed())
	}
	return nil
}

// Forget drops a transaction that has come to its end; whoever needs it keeps
// its document.
func (c *Cloud) Forget(transactionID string) { delete(c.transactions, transactionID) }

// Remember takes back a transaction that is still open.
func (c *Cloud) Remember(t *Transaction) { c.transactions[t.Case.TransactionID] = t }

// Revoked reports whether the transaction's certificate was revoked.
func (t *Transaction) Revoked() bool { return t.revocation != nil }

// Document is everything that is known of the transaction.
func (t *Transaction) Document() wire.Object {
	o := wire.Object{
		"transaction_id":      t.Case.TransactionID,
		"approvals":           wire.Objects(t.Case.Approvals),
		"capability_evidence": wire.Objects(t.Case.Capability),
	}
	for name, part := range map[string]wire.Object{
		"terms": t.Case.Terms, "customer": t.Case.Customer, "service": t.Case.Service,
		"manifest": t.manifest, "issuance": t.issuance,
		"revocation": t.revocation, "revocation_registry": t.revocationRegistry, "revocation_event": t.revocationEvent,
	} {
		if part != nil {
			o[name] = part
		}
	}
	if t.Issued != nil {
		o["issued"] = wire.Object{
			"leaf": wire.Base64(t.Issued.Leaf), "issuer": wire.Base64(t.Issued.Issuer),
			"receipt": t.Issued.Receipt, "registry": t.Issued.Registry,
		}
	}
	return o
}

// RestoreTransaction makes the transaction of a document.
func RestoreTransaction(o wire.Object) (*Transaction, error) {
	t := &Transaction{
		Case: rules.Case{
			TransactionID: wire.Text(o, "transaction_id"), Terms: wire.Member(o, "terms"),
			Approvals: objects(o, "approvals"), Capability: objects(o, "capability_evidence"),
			Customer: wire.Member(o, "customer"), Service: wire.Member(o, "service"),
		},
		manifest: wire.Member(o, "manifest"), issuance: wire.Member(o, "issuance"),
		revocation: wire.Member(o, "revocation"), revocationRegistry: wire.Member(o, "revocation_registry"),
		revocationEvent: wire.Member(o, "revocation_event"),
	}
	issued := wire.Member(o, "issued")
	if issued == nil {
		return t, nil
	}
	leaf, err := wire.Unbase64(wire.Text(issued, "leaf"))
	if err != nil {
		return nil, fmt.Errorf("transaction %s: leaf: %w", t.Case.TransactionID, err)
	}
	issuer, err := wire.Unbase64(wire.Text(issued, "issuer"))
	if err != nil {
		return nil, fmt.Errorf("transaction %s: issuer: %w", t.Case.TransactionID, err)
	}
	t.Issued = &signer.Issued{
		Leaf: leaf, Issuer: issuer, Receipt: wire.Member(issued, "receipt"), Registry: wire.Member(issued, "registry"),
	}
	return t, nil
}

// objects are the objects of a member that is a list of them.
func objects(o wire.Object, name string) []wire.Object {
	var list []wire.Object
	for _, element := range wire.List(o, name) {
		if object, ok := element.(wire.Object); ok {
			list = append(list, object)
		}
	}
	return list
}
