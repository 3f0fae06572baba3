package server

import (
	"fmt"

	"github.com/svc-edge/svc-verify/harness/cloud"
	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// issuances lead transactions from the application to their end. All that an end
// follows from is below: who may approve, under which policy, for what.
type issuances struct {
	*tenant
	policies     *policies
	nodes        *nodes
	integrations *integrations
	incidents    *incidents
	authority    *authority
	transactions *transactions
}

// request opens a transaction under the policy in force. The same request again
// is answered with the transaction that it opened.
func (is *issuances) request(c *call) (seal.Object, error) {
	a, err := readApplication(c)
	if err != nil {
		return nil, err
	}
	var view seal.Object
	err = is.ordered(c, func() error {
		t, err := is.transactions.repeated(a)
		if t == nil && err == nil {
			t, err = is.openFor(a)
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
func (is *issuances) openFor(a application) (*transaction, error) {
	if err := is.incidents.check(); err != nil {
		return nil, err
	}
	if err := is.transactions.room(); err != nil {
		return nil, err
	}
	t := &transaction{
		Transaction: &cloud.Transaction{Case: consent.Case{TransactionID: a.id}}, request: a.request,
	}
	return t, is.enter(t, a.terms, a.csr)
}

// enter completes the terms by the policy in force and asks the nodes. Whether
// the policy allows the terms is for the nodes to judge.
func (is *issuances) enter(t *transaction, terms seal.Object, csr []byte) error {
	if err := is.policies.complete(terms); err != nil {
		return err
	}
	if err := is.cloud.Request(t.id(), terms); err != nil {
		return err
	}
	evidence, err := is.cloud.Transaction(t.id())
	if err != nil {
		return err
	}
	t.Transaction, t.csr, t.since = evidence, csr, is.now()
	if t.number == 0 {
		is.transactions.begin(t)
	}
	is.save(t)
	is.advance(t)
	return nil
}

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
func (is *issuances) stage(t *transaction) stage {
	switch {
	case t.Case.Terms == nil:
		return stageRequest
	case len(t.Case.Capability) == 0 && is.policies.capability(t) != "":
		return stageObserve
	case int64(len(t.Case.Approvals)) < t.required():
		return stageApprove
	case t.Case.Customer == nil:
		return stageDecide
	}
	return stageComplete
}

// expects checks that the transaction waits for a result of this kind.
func (is *issuances) expects(t *transaction, expected stage) error {
	if t.status != statusPending || is.stage(t) != expected {
		return conflict("transaction %s does not wait for this", t.id())
	}
	return nil
}

// advance does with a transaction what can be done by now.
func (is *issuances) advance(t *transaction) {
	if t.status != statusPending {
		return
	}
	end := is.judge(t)
	if end == nil && is.stage(t) == stageComplete {
		end = is.issue(t)
	}
	if end != nil {
		is.deny(t, *end)
	}
}

// judge returns why nothing can be issued for a transaction any more, nil if
// something can.
func (is *issuances) judge(t *transaction) *denial {
	if left := is.nodes.enabled() - int64(len(t.denials)); t.Case.Terms != nil && left < t.required() {
		return &denial{"quorum_unreachable", is.unreachable(t, left)}
	}
	if is.stage(t) != stageComplete {
		return nil
	}
	if decision := seal.Text(seal.Member(t.Case.Customer, "statement"), "decision"); decision != "allow" {
		return &denial{"customer_denied", "the customer's decision is " + decision}
	}
	return is.unbound(t)
}

// unreachable says why the approvals of a transaction cannot come together, as
// far as the cloud sees it: nodes deny what the policy does not allow.
func (is *issuances) unreachable(t *transaction, left int64) string {
	detail := fmt.Sprintf("%d of %d nodes are left to approve, %d must", left, is.nodes.enabled(), t.required())
	if err := consent.CheckPolicy(is.policies.current(), t.Case.Terms); err != nil {
		detail = fmt.Sprintf("%s; %s", err, detail)
	}
	return detail
}

// issue makes the service's decision and has the signer issue. It returns why it
// does not, if so. A certificate that must not be released, because it could not
// be recorded, or not in time (SPEC 8.21), is discarded: the transaction has ended
// then, and whoever still needs one starts another.
func (is *issuances) issue(t *transaction) *denial {
	is.cloud.Decide(t.Transaction)
	is.save(t)
	issued, err := is.authority.signer.Issue(t.Case, t.csr)
	if err != nil {
		return &denial{"signer_refused", err.Error()}
	}
	if err := is.cloud.Complete(t.Transaction, issued); err != nil {
		end := denial{"never_released", err.Error()}
		if err := is.authority.discard(t, issued, end); err != nil {
			is.config.Log.Error("a certificate that was never released is not revoked", "transaction", t.id(), "error", err.Error())
			return &end
		}
		is.end(t, statusDenied, end)
		return nil
	}
	t.status = statusIssued
	is.authority.publish(t.id())
	if t.rotation != nil {
		is.transactions.setRotation(t, rotationDelivering)
		return nil
	}
	is.transactions.finish(t)
	return nil
}
