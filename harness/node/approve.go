package node

import (
	"fmt"
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/eventtype"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// Approve judges the terms of a case by the node's policy and signs its decision, allow or
// deny, SPEC 7.5. Of the case it needs the transaction, the terms and the capability evidence.
func (n *Node) Approve(c consent.Case) seal.Object {
	now := n.clock.Next()
	denied := n.whyDenied(c, now)
	relied := seal.StatementDigests(c.Capability)
	decision := "allow"
	if denied != nil {
		decision, relied = "deny", nil
	}
	approval := seal.Seal(seal.Object{
		"protocol":            "svc.approval.v1",
		"tenant_id":           n.roster.TenantID,
		"transaction_id":      c.TransactionID,
		"node_id":             n.id,
		"decision":            decision,
		"terms":               c.Terms,
		"capability_evidence": seal.SortedStrings(relied),
		"decided_at":          seal.Time(now),
		"expires_at":          seal.Time(now.Add(approvalLifetime)),
	}, n.key)
	digest := seal.StatementDigest(approval)
	n.Note(eventtype.ApprovalSigned, c.TransactionID, seal.Object{"approval_sha256": digest, "decision": decision})
	if denied != nil {
		n.Note(eventtype.ApprovalDenied, c.TransactionID, seal.Object{"approval_sha256": digest, "reason": denied.Error()})
	}
	return approval
}

// whyDenied returns why the node denies, or nil.
func (n *Node) whyDenied(c consent.Case, now time.Time) error {
	if n.policy == nil {
		return fmt.Errorf("no policy synced")
	}
	if err := consent.CheckPolicy(n.policy, c.Terms); err != nil {
		return err
	}
	capabilities := []string{""}
	for _, evidence := range c.Capability {
		if err := n.roster.CheckCapability(evidence, c.Terms, now); err != nil {
			return fmt.Errorf("capability evidence: %w", err)
		}
		capabilities = append(capabilities, seal.Text(seal.Member(evidence, "statement"), "capability"))
	}
	if want := consent.RequiredCapability(n.policy, c.Terms); !slices.Contains(capabilities, want) {
		return fmt.Errorf("capability evidence: nobody observed %s", want)
	}
	return nil
}

// Decide signs the decision of the customer's trust domain over the approvals
// that allow the case, SPEC 7.6: allow if the rules hold and the node itself is
// among the approvers, else deny.
func (n *Node) Decide(c consent.Case) seal.Object {
	decision := "allow"
	if n.roster.CheckApprovals(c) != nil || !seal.SignedFor(n.id, c.Approvals) {
		decision = "deny"
	}
	statement := seal.Object{
		"protocol":            "svc.decision.v1",
		"tenant_id":           n.roster.TenantID,
		"transaction_id":      c.TransactionID,
		"trust_domain":        "customer",
		"node_id":             n.id,
		"decision":            decision,
		"terms":               c.Terms,
		"approvals":           seal.SortedStrings(seal.StatementDigests(c.Approvals)),
		"capability_evidence": seal.SortedStrings(seal.StatementDigests(c.Capability)),
		"decided_at":          seal.Time(n.clock.Next()),
	}
	sealed := seal.Seal(statement, n.key)
	n.Note(eventtype.DecisionSigned, c.TransactionID, seal.Object{
		"decision": decision, "decision_sha256": seal.Digest(statement),
	})
	return sealed
}
