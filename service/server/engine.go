package server

import (
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/harness/cloud"
	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/harness/signer"
)

// stage is what an issuance waits for.
type stage int

const (
	stageRequest  stage = iota // the request of a rotation's key
	stageObserve               // capability evidence
	stageApprove               // approvals
	stageDecide                // the customer's decision
	stageComplete              // everything is there
)

// stage is what the transaction waits for.
func (s *Server) stage(t *transaction) stage {
	switch {
	case t.Case.Terms == nil:
		return stageRequest
	case consent.RequiredCapability(s.policies.current(), t.Case.Terms) != "" && len(t.Case.Capability) == 0:
		return stageObserve
	case int64(len(t.Case.Approvals)) < t.required():
		return stageApprove
	case t.Case.Customer == nil:
		return stageDecide
	}
	return stageComplete
}

// request opens a transaction under the policy in force. The same request again
// is answered with the transaction that it opened.
func (s *Server) request(c *call) (seal.Object, error) {
	a, err := readApplication(c)
	if err != nil {
		return nil, err
	}
	var view seal.Object
	err = s.ordered(c, func() error {
		t, err := s.transactions.repeated(a)
		if t == nil && err == nil {
			t, err = s.openFor(a)
		}
		if err != nil {
			return err
		}
		view = t.view()
		return nil
	})
	return view, err
}

// openFor opens a transaction for an application.
func (s *Server) openFor(a application) (*transaction, error) {
	if err := s.incidents.check(); err != nil {
		return nil, err
	}
	if err := s.transactions.room(); err != nil {
		return nil, err
	}
	t := &transaction{
		Transaction: &cloud.Transaction{Case: consent.Case{TransactionID: a.id}}, request: a.request,
	}
	return t, s.enter(t, a.terms, a.csr)
}

// enter completes the terms by the policy in force and asks the nodes. Whether
// the policy allows the terms is for the nodes to judge.
func (s *Server) enter(t *transaction, terms seal.Object, csr []byte) error {
	policy := s.policies.current()
	profile := seal.Member(seal.Member(policy, "profiles"), seal.Text(terms, "workload_profile"))
	if profile == nil {
		return conflict("no policy in force has the profile %s", seal.Text(terms, "workload_profile"))
	}
	terms["policy_version"], terms["policy_sha256"] = policy["version"], seal.Digest(policy)
	terms["required_approvals"] = profile["required_approvals"]
	id := t.id()
	if err := s.cloud.Request(id, terms); err != nil {
		return err
	}
	evidence, err := s.cloud.Transaction(id)
	if err != nil {
		return err
	}
	t.Transaction, t.csr, t.since = evidence, csr, s.now()
	if s.transactions.open[id] == nil {
		s.transactions.begin(t)
	}
	s.save(t)
	s.advance(t)
	return nil
}

// advance does with a transaction what can be done by now.
func (s *Server) advance(t *transaction) {
	if t.status != statusPending {
		return
	}
	if t.Case.Terms != nil && s.nodes.enabled()-int64(len(t.denials)) < t.required() {
		s.deny(t, "quorum_unreachable", s.unreachable(t))
		return
	}
	if s.stage(t) != stageComplete {
		return
	}
	if decision := seal.Text(seal.Member(t.Case.Customer, "statement"), "decision"); decision != "allow" {
		s.deny(t, "customer_denied", "the customer's decision is "+decision)
		return
	}
	s.issue(t)
}

// unreachable says why the approvals of a transaction cannot come together, as
// far as the cloud sees it: nodes deny what the policy does not allow.
func (s *Server) unreachable(t *transaction) string {
	left := s.nodes.enabled() - int64(len(t.denials))
	detail := fmt.Sprintf("%d of %d nodes are left to approve, %d must", left, s.nodes.enabled(), t.required())
	if err := consent.CheckPolicy(s.policies.current(), t.Case.Terms); err != nil {
		detail = fmt.Sprintf("%s; %s", err, detail)
	}
	return detail
}

// issue makes the service's decision and has the signer issue.
func (s *Server) issue(t *transaction) {
	if t.rotation != nil && !s.checkBinding(t) {
		return
	}
	s.cloud.Decide(t.Transaction)
	s.save(t)
	issued, err := s.authority.signer.Issue(t.Case, t.csr)
	if err != nil {
		s.deny(t, "signer_refused", err.Error())
		return
	}
	if err := s.cloud.Complete(t.Transaction, issued); err != nil {
		s.withhold(t, issued, err)
		return
	}
	t.status = statusIssued
	s.authority.publish(t.id())
	if t.rotation != nil {
		s.setRotation(t, rotationDelivering)
		return
	}
	s.transactions.finish(t)
}

// withhold ends a transaction whose certificate must not be released, because it
// could not be recorded, or not in time (SPEC 8.21): the signer revokes it. Who
// still needs one starts another transaction.
func (s *Server) withhold(t *transaction, issued *signer.Issued, cause error) {
	end := denial{"never_released", cause.Error()}
	if err := s.authority.discard(t, issued, end); err != nil {
		s.config.Log.Error("a certificate that was never released is not revoked", "transaction", t.id(), "error", err.Error())
		s.deny(t, end.code, end.detail)
		return
	}
	s.ended(t, end.code, end.detail)
}

// deny ends a transaction that nothing was issued for.
func (s *Server) deny(t *transaction, code, detail string) {
	s.cloud.NoteOf(t.id(), "issuance.denied", seal.Object{"code": code, "detail": detail})
	s.ended(t, code, detail)
}

// ended is a transaction without a certificate.
func (s *Server) ended(t *transaction, code, detail string) {
	t.status, t.code, t.detail = statusDenied, code, detail
	if t.rotation != nil {
		s.endRotation(t, rotationDenied)
	}
	s.transactions.finish(t)
}

// expire denies the transactions that were undecided for too long.
func (s *Server) expire(now time.Time) {
	for _, t := range s.transactions.inOrder() {
		if t.status == statusPending && !now.Before(t.expiresAt) {
			s.deny(t, "transaction_expired", "the transaction was not decided in time")
		}
	}
}

// turn lists the nodes that are up in the order in which they are asked about
// the transaction: another one begins with each transaction.
func (t *transaction) turn(up []*node) []*node {
	if len(up) == 0 {
		return nil
	}
	h := fnv.New32a()
	h.Write([]byte(t.id())) // never fails
	first := int(h.Sum32() % uint32(len(up)))
	turn := slices.Concat(up[first:], up[:first])
	return slices.DeleteFunc(turn, func(n *node) bool { return t.spurned[n.id] })
}

// asked lists the nodes that are to do what the transaction waits for, of those
// that are up: just enough of them, and all once these took too long.
func (s *Server) asked(t *transaction, up []*node, now time.Time) []*node {
	turn, enough := t.turn(up), int64(1)
	switch s.stage(t) {
	case stageObserve:
	case stageApprove:
		turn = slices.DeleteFunc(turn, func(n *node) bool { return t.votes[n.id] != "" })
		enough = t.required() - int64(len(t.Case.Approvals))
	case stageDecide:
		turn = slices.DeleteFunc(turn, func(n *node) bool { return !t.approvedBy(n.id) })
	default:
		return nil
	}
	if now.Sub(t.since) < s.config.Patience {
		turn = turn[:min(enough, int64(len(turn)))]
	}
	return turn
}
