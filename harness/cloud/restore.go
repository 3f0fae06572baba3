package cloud

import (
	"errors"
	"fmt"
	"iter"

	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/harness/signer"
)

// Document returns the state that the cloud must keep besides its log, its policy and its
// transactions: the newest checkpoint with its receipts, and the reports of nodes.
func (c *Cloud) Document() seal.Object {
	reported := seal.Object{}
	for id, report := range c.reported {
		reported[id] = report
	}
	o := seal.Object{"reported": reported}
	if c.checkpoint != nil {
		o["checkpoint"], o["receipts"] = c.checkpoint, seal.Objects(c.newestReceipts())
	}
	return o
}

// Restore brings a new cloud to where another one left off: its log, from the
// first event on, its document and the policy in force, nil if there was none.
// It fails if the log's events do not follow from one another.
func (c *Cloud) Restore(events iter.Seq2[seal.Object, error], document, policy seal.Object) error {
	for event, err := range events {
		if err != nil {
			return err
		}
		if err := c.log.Resume(event); err != nil {
			return err
		}
	}
	c.policy = policy
	for id := range seal.Member(document, "reported") {
		c.reported[id] = seal.Member(seal.Member(document, "reported"), id)
	}
	c.checkpoint = seal.Member(document, "checkpoint")
	c.receipts = map[string]seal.Object{}
	for _, receipt := range seal.ObjectList(document, "receipts") {
		c.receipts[seal.NodeOf(receipt)] = receipt
	}
	if c.checkpoint != nil && c.newestSequence() > c.log.Sequence() {
		return fmt.Errorf("the log ends at %d, before the checkpoint of %d", c.log.Sequence(), c.newestSequence())
	}
	return nil
}

// Forget drops a transaction that has come to its end; a caller that needs it keeps
// its document.
func (c *Cloud) Forget(transactionID string) { delete(c.transactions, transactionID) }

// Remember restores a transaction that is still open.
func (c *Cloud) Remember(t *Transaction) { c.transactions[t.Case.TransactionID] = t }

// Revoked reports whether the transaction's certificate was revoked.
func (t *Transaction) Revoked() bool { return t.revocation != nil }

// parts are the documents of the transaction, by the names under which they are kept.
func (t *Transaction) parts() map[string]*seal.Object {
	return map[string]*seal.Object{
		"terms": &t.Case.Terms, "customer": &t.Case.Customer, "service": &t.Case.Service,
		"manifest": &t.manifest, "issuance": &t.issuance,
		"revocation": &t.revocation, "revocation_registry": &t.revocationRegistry, "revocation_event": &t.revocationEvent,
	}
}

// Document is everything that is known of the transaction.
func (t *Transaction) Document() seal.Object {
	o := seal.Object{
		"transaction_id":      t.Case.TransactionID,
		"approvals":           seal.Objects(t.Case.Approvals),
		"capability_evidence": seal.Objects(t.Case.Capability),
	}
	for name, part := range t.parts() {
		if *part != nil {
			o[name] = *part
		}
	}
	if t.Issued != nil {
		o["issued"] = seal.Object{
			"leaf": seal.Base64(t.Issued.Leaf), "issuer": seal.Base64(t.Issued.Issuer),
			"receipt": t.Issued.Receipt, "registry": t.Issued.Registry,
		}
	}
	return o
}

// RestoreTransaction makes the transaction of a document.
func RestoreTransaction(o seal.Object) (*Transaction, error) {
	t := &Transaction{Case: consent.Case{
		TransactionID: seal.Text(o, "transaction_id"),
		Approvals:     seal.ObjectList(o, "approvals"), Capability: seal.ObjectList(o, "capability_evidence"),
	}}
	for name, part := range t.parts() {
		*part = seal.Member(o, name)
	}
	issued := seal.Member(o, "issued")
	if issued == nil {
		return t, nil
	}
	leaf, errLeaf := seal.Unbase64(seal.Text(issued, "leaf"))
	issuer, errIssuer := seal.Unbase64(seal.Text(issued, "issuer"))
	if err := errors.Join(errLeaf, errIssuer); err != nil {
		return nil, fmt.Errorf("transaction %s: its certificates: %w", t.Case.TransactionID, err)
	}
	t.Issued = &signer.Issued{
		Leaf: leaf, Issuer: issuer, Receipt: seal.Member(issued, "receipt"), Registry: seal.Member(issued, "registry"),
	}
	return t, nil
}
