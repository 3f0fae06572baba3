package cloud

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/harness/rules"
	"github.com/svc-edge/svc-verify/harness/signer"
	"github.com/svc-edge/svc-verify/harness/wire"
)

// Transaction is what the cloud knows of one issuance.
type Transaction struct {
	Case               rules.Case
	Issued             *signer.Issued // nil before the signer issued
	manifest           wire.Object
	issuance           wire.Object // the event
	revocation         wire.Object // the receipt; nil unless revoked
	revocationRegistry wire.Object
	revocationEvent    wire.Object
}

// Request opens a transaction.
func (c *Cloud) Request(transactionID string, terms wire.Object) error {
	if c.transactions[transactionID] != nil {
		return fmt.Errorf("transaction %s exists already", transactionID)
	}
	c.transactions[transactionID] = &Transaction{Case: rules.Case{TransactionID: transactionID, Terms: terms}}
	c.record("issuance.requested", transactionID, wire.Object{
		"workload_profile": terms["workload_profile"],
		"algorithm":        terms["algorithm"],
		"terms_sha256":     wire.Digest(terms),
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
func (c *Cloud) AddCapability(t *Transaction, evidence wire.Object) error {
	if err := c.roster.CheckCapability(evidence, t.Case.Terms, c.clock.Next()); err != nil {
		return fmt.Errorf("capability evidence: %w", err)
	}
	t.Case.Capability = append(t.Case.Capability, evidence)
	slices.SortFunc(t.Case.Capability, func(a, b wire.Object) int {
		return cmp.Compare(wire.StatementDigest(a), wire.StatementDigest(b))
	})
	return nil
}

// RecordApproval logs a node's approval, allow or deny. Only one that allows
// counts for the transaction.
func (c *Cloud) RecordApproval(t *Transaction, approval wire.Object) error {
	statement, err := c.roster.Open(approval, "svc.approval.v1")
	if err != nil {
		return fmt.Errorf("approval: %w", err)
	}
	if found := wire.Text(statement, "transaction_id"); found != t.Case.TransactionID {
		return fmt.Errorf("approval: transaction_id: expected %s, found %q", t.Case.TransactionID, found)
	}
	c.record("approval.recorded", t.Case.TransactionID, wire.Object{
		"node_id": statement["node_id"], "approval_sha256": wire.Digest(statement),
	})
	if wire.Text(statement, "decision") != "allow" {
		return nil
	}
	t.Case.Approvals = append(t.Case.Approvals, approval)
	slices.SortFunc(t.Case.Approvals, func(a, b wire.Object) int {
		return cmp.Compare(nodeOf(a), nodeOf(b))
	})
	return nil
}

// RecordCustomerDecision logs the decision of the customer's trust domain.
func (c *Cloud) RecordCustomerDecision(t *Transaction, decision wire.Object) error {
	statement, err := c.roster.Open(decision, "svc.decision.v1")
	if err != nil {
		return fmt.Errorf("customer decision: %w", err)
	}
	if found := wire.Text(statement, "transaction_id"); found != t.Case.TransactionID {
		return fmt.Errorf("customer decision: transaction_id: expected %s, found %q", t.Case.TransactionID, found)
	}
	if found := wire.Text(statement, "trust_domain"); found != "customer" {
		return fmt.Errorf("customer decision: trust_domain: found %q", found)
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
	t.Case.Service = wire.Seal(wire.Object{
		"protocol":            "svc.decision.v1",
		"tenant_id":           c.roster.TenantID,
		"transaction_id":      t.Case.TransactionID,
		"trust_domain":        "service",
		"decision":            decision,
		"terms":               t.Case.Terms,
		"capability_evidence": wire.Strings(digests(t.Case.Capability)),
		"decided_at":          wire.Time(c.clock.Next()),
	}, c.key)
	c.recordDecision(wire.Member(t.Case.Service, "statement"))
}

func (c *Cloud) recordDecision(statement wire.Object) {
	c.record("decision.recorded", wire.Text(statement, "transaction_id"), wire.Object{
		"trust_domain":    statement["trust_domain"],
		"decision":        statement["decision"],
		"decision_sha256": wire.Digest(statement),
	})
}

// digests names the statements of envelopes, in their order.
func digests(envelopes []wire.Object) []string {
	list := make([]string, len(envelopes))
	for i, envelope := range envelopes {
		list[i] = wire.StatementDigest(envelope)
	}
	return list
}

func nodeOf(envelope wire.Object) string {
	return wire.Text(wire.Member(envelope, "statement"), "node_id")
}
