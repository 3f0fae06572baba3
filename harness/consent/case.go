package consent

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
)

// Case is the basis of the issuance of one transaction. The lists hold signed envelopes.
type Case struct {
	TransactionID string
	Terms         seal.Object
	Approvals     []seal.Object // by node id
	Capability    []seal.Object // by statement digest
	Customer      seal.Object   // the customer's decision
	Service       seal.Object   // the service's decision
}

// tolerance is how far apart two clocks may be, SPEC 7.13.
const tolerance = 300 * time.Second

// CheckApprovals checks that enough nodes allow the terms of the case, that each is counted
// once, and that the evidence they relied on was in force.
func (r *Roster) CheckApprovals(c Case) error {
	nodes := map[string]bool{}
	keys := map[string]bool{}
	for i, envelope := range c.Approvals {
		approval, err := r.checkAgreed(c, envelope, "svc.approval.v1")
		if err != nil {
			return fmt.Errorf("approvals/%d: %w", i, err)
		}
		node, key := seal.Text(approval, "node_id"), r.Nodes[seal.Text(envelope, "key_id")]
		if nodes[node] || keys[string(key)] {
			return fmt.Errorf("approvals/%d: %s approved twice", i, node)
		}
		nodes[node], keys[string(key)] = true, true
	}
	if required := seal.Integer(c.Terms, "required_approvals"); required < 1 || int64(len(nodes)) < required {
		return fmt.Errorf("approvals: expected %d, found %d", max(required, 1), len(nodes))
	}
	return nil
}

// CheckDecisions checks that both trust domains allow the terms of the case
// and that the customer's decision rests on exactly its approvals.
func (r *Roster) CheckDecisions(c Case) error {
	customer, err := r.checkAgreed(c, c.Customer, "svc.decision.v1")
	if err != nil {
		return fmt.Errorf("decisions/customer: %w", err)
	}
	service, err := r.checkAgreed(c, c.Service, "svc.decision.v1")
	if err != nil {
		return fmt.Errorf("decisions/service: %w", err)
	}
	if seal.Text(customer, "trust_domain") != "customer" || seal.Text(service, "trust_domain") != "service" {
		return fmt.Errorf("decisions: expected one of each trust domain")
	}
	if !slices.Equal(seal.Texts(customer, "approvals"), slices.Sorted(slices.Values(seal.StatementDigests(c.Approvals)))) {
		return fmt.Errorf("decisions/customer: its approvals are not those of the transaction")
	}
	if !seal.SignedFor(seal.Text(customer, "node_id"), c.Approvals) {
		return fmt.Errorf("decisions/customer: %q is not among the approvers", seal.Text(customer, "node_id"))
	}
	return nil
}

// CheckTimes checks that a certificate may be issued at this moment: every
// approval came before every decision, the decisions before now, and no
// approval has expired, SPEC 8.21.
func (r *Roster) CheckTimes(c Case, now time.Time) error {
	first, last, err := c.decisionTimes()
	if err != nil {
		return err
	}
	if last.After(now.Add(tolerance)) {
		return fmt.Errorf("decisions: decided at %s, after %s", seal.Time(last), seal.Time(now))
	}
	for i, envelope := range c.Approvals {
		approval := seal.Member(envelope, "statement")
		decided, err := momentOf(approval, "decided_at")
		if err != nil {
			return fmt.Errorf("approvals/%d: %w", i, err)
		}
		expires, err := momentOf(approval, "expires_at")
		if err != nil {
			return fmt.Errorf("approvals/%d: %w", i, err)
		}
		if decided.After(first.Add(tolerance)) {
			return fmt.Errorf("approvals/%d: decided at %s, after the decision of %s", i, seal.Time(decided), seal.Time(first))
		}
		if !decided.Before(expires) {
			return fmt.Errorf("approvals/%d: decided at %s, and expired at %s", i, seal.Time(decided), seal.Time(expires))
		}
		if !now.Before(expires) {
			return fmt.Errorf("approvals/%d: expired at %s, it is %s", i, seal.Time(expires), seal.Time(now))
		}
	}
	return nil
}

// How long after the signer's time, and after the end of an approval, an
// issuance may be recorded, SPEC 8.21.
const (
	maxUnrecorded  = 24 * time.Hour
	maxAfterExpiry = time.Hour
)

// ErrLate reports that it is too late to record an issuance: its certificate must not be
// released.
var ErrLate = errors.New("too late to record the issuance")

// CheckRecording checks that an issuance that the signer dates so may be recorded
// at this moment, SPEC 8.21. The error is [ErrLate] if it is too late.
func (c Case) CheckRecording(issued, now time.Time) error {
	if now.After(issued.Add(maxUnrecorded)) {
		return fmt.Errorf("%w: issued at %s, it is %s", ErrLate, seal.Time(issued), seal.Time(now))
	}
	for i, envelope := range c.Approvals {
		expires, err := momentOf(seal.Member(envelope, "statement"), "expires_at")
		if err != nil {
			return fmt.Errorf("approvals/%d: %w", i, err)
		}
		if now.After(expires.Add(maxAfterExpiry)) {
			return fmt.Errorf("%w: approvals/%d expired at %s, it is %s", ErrLate, i, seal.Time(expires), seal.Time(now))
		}
	}
	return nil
}

// decisionTimes is when the first and the last decision of the case was made.
func (c Case) decisionTimes() (first, last time.Time, err error) {
	customer, err := momentOf(seal.Member(c.Customer, "statement"), "decided_at")
	if err != nil {
		return first, last, fmt.Errorf("decisions/customer: %w", err)
	}
	service, err := momentOf(seal.Member(c.Service, "statement"), "decided_at")
	if err != nil {
		return first, last, fmt.Errorf("decisions/service: %w", err)
	}
	if service.Before(customer) {
		return service, customer, nil
	}
	return customer, service, nil
}

// checkAgreed opens an approval or a decision and checks that it allows exactly
// this case.
func (r *Roster) checkAgreed(c Case, envelope seal.Object, protocol string) (seal.Object, error) {
	statement, err := r.Open(envelope, protocol)
	if err != nil {
		return nil, err
	}
	if found := seal.Text(statement, "transaction_id"); found != c.TransactionID {
		return nil, fmt.Errorf("transaction_id: expected %s, found %q", c.TransactionID, found)
	}
	if found := seal.Text(statement, "decision"); found != "allow" {
		return nil, fmt.Errorf("decision: expected allow, found %q", found)
	}
	if !SameTerms(seal.Member(statement, "terms"), c.Terms) {
		return nil, fmt.Errorf("terms: they are not those of the transaction")
	}
	decided, err := momentOf(statement, "decided_at")
	if err != nil {
		return nil, err
	}
	for _, digest := range seal.Texts(statement, "capability_evidence") {
		if err := r.checkCapability(c, digest, decided); err != nil {
			return nil, fmt.Errorf("capability_evidence %s: %w", digest, err)
		}
	}
	return statement, nil
}

// SameTerms reports whether two terms are the same bytes, SPEC 7.2.
func SameTerms(a, b seal.Object) bool {
	return bytes.Equal(seal.Canonical(a), seal.Canonical(b))
}

func momentOf(statement seal.Object, name string) (time.Time, error) {
	t, err := seal.ParseTime(seal.Text(statement, name))
	if err != nil {
		return t, fmt.Errorf("%s: expected a time, found %q", name, seal.Text(statement, name))
	}
	return t, nil
}
