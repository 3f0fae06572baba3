package cloud

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/eventtype"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/harness/signer"
)

// Transaction is the cloud's record of one issuance.
type Transaction struct {
	Case               consent.Case
	Issued             *signer.Issued // nil before the signer issued
	manifest           seal.Object
	issuance           seal.Object // the event
	revocation         seal.Object // the receipt; nil unless revoked
	revocationRegistry seal.Object
	revocationEvent    seal.Object
}

// Request opens a transaction.
func (c *Cloud) Request(transactionID string, terms seal.Object) error {
	if c.transactions[transactionID] != nil {
		return fmt.Errorf("transaction %s exists already", transactionID)
	}
	c.transactions[transactionID] = &Transaction{Case: consent.Case{TransactionID: transactionID, Terms: terms}}
	c.recordEvent(eventtype.IssuanceRequested, transactionID, seal.Object{
		"workload_profile": terms["workload_profile"],
		"algorithm":        terms["algorithm"],
		"terms_sha256":     seal.Digest(terms),
	})
	return nil
}

// Transaction returns a transaction that was requested.
func (c *Cloud) Transaction(transactionID string) (*Transaction, error) {
	if t := c.transactions[transactionID]; t != nil {
		return t, nil
	}
	return nil, fmt.Errorf("no transaction %s", transactionID)
}

// AddCapability puts capability evidence into the transaction.
func (c *Cloud) AddCapability(t *Transaction, evidence seal.Object) error {
	if err := c.roster.CheckCapability(evidence, t.Case.Terms, c.clock.Next()); err != nil {
		return fmt.Errorf("capability evidence: %w", err)
	}
	t.Case.Capability = append(t.Case.Capability, evidence)
	slices.SortFunc(t.Case.Capability, func(a, b seal.Object) int {
		return cmp.Compare(seal.StatementDigest(a), seal.StatementDigest(b))
	})
	return nil
}

// RecordApproval logs a node's approval, allow or deny. Only one that allows
// counts for the transaction.
func (c *Cloud) RecordApproval(t *Transaction, approval seal.Object) error {
	statement, err := c.roster.Open(approval, "svc.approval.v1", "transaction_id", t.Case.TransactionID)
	if err != nil {
		return fmt.Errorf("approval: %w", err)
	}
	c.recordEvent(eventtype.ApprovalRecorded, t.Case.TransactionID, seal.Object{
		"node_id": statement["node_id"], "approval_sha256": seal.Digest(statement),
	})
	if seal.Text(statement, "decision") != "allow" {
		return nil
	}
	t.Case.Approvals = append(t.Case.Approvals, approval)
	slices.SortFunc(t.Case.Approvals, func(a, b seal.Object) int {
		return cmp.Compare(seal.NodeOf(a), seal.NodeOf(b))
	})
	return nil
}

// RecordCustomerDecision logs the decision of the customer's trust domain.
func (c *Cloud) RecordCustomerDecision(t *Transaction, decision seal.Object) error {
	statement, err := c.roster.Open(decision, "svc.decision.v1", "transaction_id", t.Case.TransactionID,
		"trust_domain", "customer")
	if err != nil {
		return fmt.Errorf("customer decision: %w", err)
	}
	t.Case.Customer = decision
	c.recordDecision(statement)
	return nil
}

// Decide makes and logs the decision of the service's trust domain: allow if
// the approvals suffice, else deny.
func (c *Cloud) Decide(t *Transaction) {
	decision := "allow"
	if c.roster.CheckApprovals(t.Case) != nil {
		decision = "deny"
	}
	t.Case.Service = seal.Seal(seal.Object{
		"protocol":            "svc.decision.v1",
		"tenant_id":           c.roster.TenantID,
		"transaction_id":      t.Case.TransactionID,
		"trust_domain":        "service",
		"decision":            decision,
		"terms":               t.Case.Terms,
		"capability_evidence": seal.Strings(seal.StatementDigests(t.Case.Capability)),
		"decided_at":          seal.Time(c.clock.Next()),
	}, c.key)
	c.recordDecision(seal.Member(t.Case.Service, "statement"))
}

func (c *Cloud) recordDecision(statement seal.Object) {
	c.recordEvent(eventtype.DecisionRecorded, seal.Text(statement, "transaction_id"), seal.Object{
		"trust_domain":    statement["trust_domain"],
		"decision":        statement["decision"],
		"decision_sha256": seal.Digest(statement),
	})
}
