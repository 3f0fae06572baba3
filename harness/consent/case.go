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
	var m moments
	first := m.readTime("decisions/customer: ", c.Customer, "decided_at")
	last := m.readTime("decisions/service: ", c.Service, "decided_at")
	if last.Before(first) {
		first, last = last, first
	}
	if m.err == nil && last.After(now.Add(tolerance)) {
		return fmt.Errorf("decisions: decided at %s, after %s", seal.Time(last), seal.Time(now))
	}
	for i, approval := range c.Approvals {
		place := fmt.Sprintf("approvals/%d: ", i)
		decided, expires := m.readTime(place, approval, "decided_at"), m.readTime(place, approval, "expires_at")
		switch {
		case m.err != nil:
		case decided.After(first.Add(tolerance)):
			return fmt.Errorf("%sdecided at %s, after the decision of %s", place, seal.Time(decided), seal.Time(first))
		case !decided.Before(expires):
			return fmt.Errorf("%sdecided at %s, and expired at %s", place, seal.Time(decided), seal.Time(expires))
		case !now.Before(expires):
			return fmt.Errorf("%sexpired at %s, it is %s", place, seal.Time(expires), seal.Time(now))
		}
	}
	return m.err
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
	var m moments
	for i, approval := range c.Approvals {
		expires := m.readTime(fmt.Sprintf("approvals/%d: ", i), approval, "expires_at")
		if m.err == nil && now.After(expires.Add(maxAfterExpiry)) {
			return fmt.Errorf("%w: approvals/%d expired at %s, it is %s", ErrLate, i, seal.Time(expires), seal.Time(now))
		}
	}
	return m.err
}

// checkAgreed opens an approval or a decision and checks that it allows exactly
// this case.
func (r *Roster) checkAgreed(c Case, envelope seal.Object, protocol string) (seal.Object, error) {
	statement, err := r.Open(envelope, protocol, "transaction_id", c.TransactionID, "decision", "allow")
	if err != nil {
		return nil, err
	}
	if !SameTerms(seal.Member(statement, "terms"), c.Terms) {
		return nil, fmt.Errorf("terms: they are not those of the transaction")
	}
	var m moments
	decided := m.readTime("", envelope, "decided_at")
	if m.err != nil {
		return nil, m.err
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

// moments reads the times of statements, and keeps the first fault.
type moments struct{ err error }

func (m *moments) readTime(place string, envelope seal.Object, name string) time.Time {
	text := seal.Text(seal.Member(envelope, "statement"), name)
	t, err := seal.ParseTime(text)
	if err != nil && m.err == nil {
		m.err = fmt.Errorf("%s%s: expected a time, found %q", place, name, text)
	}
	return t
}
