package server

import (
	"time"

	"github.com/svc-edge/svc-verify/harness/cloud"
	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/eventtype"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/form"
)

// issuances lead transactions from the application to their end. Everything that decides the
// end is below: who may approve, under which policy, for what.
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
	f := readFields(c.Body)
	a, err := readApplication(c, f)
	if err != nil {
		return nil, err
	}
	return is.answerOrder(c, f, func() (seal.Object, error) {
		t, err := is.transactions.repeated(a)
		if t == nil && err == nil {
			t, err = is.openFor(a)
		}
		if err != nil {
			return nil, err
		}
		return t.view(), nil
	})
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
		Transaction: &cloud.Transaction{Case: consent.Case{TransactionID: a.id}}, Request: form.Object(a.request),
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
	t.Transaction, t.CSR, t.Since = evidence, csr, is.now()
	if t.Number == 0 {
		is.transactions.begin(t)
	}
	is.save(kindTransaction, t.id(), t.document)
	is.advance(t)
	return nil
}

// expects checks that the transaction waits for a result of this kind.
func (is *issuances) expects(t *transaction, expected stage) error {
	if t.status() != statusPending || t.stage(is.policies.current()) != expected {
		return conflictError("transaction %s does not wait for this", t.id())
	}
	return nil
}

// advance moves a transaction as far forward as possible by now.
func (is *issuances) advance(t *transaction) {
	if t.status() != statusPending {
		return
	}
	unbound := is.unbound(t)
	stage, end := t.judge(circumstances{is.policies.current(), is.nodes.enabled(), unbound})
	if end == nil && stage == stageComplete {
		end = is.issue(t)
	}
	if end != nil {
		is.deny(t, *end)
	}
}

// issue makes the service's decision and has the signer issue. It returns why it does not, if
// so. A certificate that must not be released, because it could not be recorded, or not in
// time (SPEC 8.21), is discarded: the transaction has ended then, and a caller that still
// needs one starts another.
func (is *issuances) issue(t *transaction) *denial {
	is.cloud.Decide(t.Transaction)
	is.save(kindTransaction, t.id(), t.document)
	issued, err := is.authority.signer.Issue(t.Case, t.CSR)
	if err != nil {
		return &denial{"signer_refused", err.Error()}
	}
	if err := is.cloud.Complete(t.Transaction, issued); err != nil {
		end := denial{"never_released", err.Error()}
		if err := is.authority.discard(t, issued, end); err != nil {
			is.config.Log.Error("a certificate that was never released is not revoked", "transaction", t.id(), "error",
				err.Error())
			return &end
		}
		is.end(t, end)
		return nil
	}
	is.authority.publish(t.id())
	if t.Rotation != nil {
		is.transactions.setRotation(t, rotationDelivering)
		return nil
	}
	is.transactions.finish(t, "")
	return nil
}

// unbound returns why a rotation must end whose integration is not the one that
// it began with, nil if it is, or if the transaction is no rotation.
func (is *issuances) unbound(t *transaction) *denial {
	r := t.Rotation
	if r == nil {
		return nil
	}
	part := r.mismatch(is.integrations.byID[r.IntegrationID])
	if part == "" && !is.nodes.has(r.NodeID) {
		part = "node"
	}
	if part == "" {
		return nil
	}
	return &denial{mismatched[r.Kind], "the " + part + " of the integration has changed"}
}

// deny ends a transaction that nothing was issued for.
func (is *issuances) deny(t *transaction, why denial) {
	is.cloud.NoteOf(t.id(), eventtype.IssuanceDenied, seal.Object{"code": why.Code, "detail": why.Detail})
	is.end(t, why)
}

// end ends a transaction without a certificate in force.
func (is *issuances) end(t *transaction, why denial) {
	t.Ended, t.denial = true, why
	is.transactions.finish(t, rotationDenied)
}

// denyPending denies every transaction that is not decided.
func (is *issuances) denyPending(why denial) {
	for _, t := range is.transactions.inOrder() {
		if t.status() == statusPending {
			is.deny(t, why)
		}
	}
}

// expire denies the transactions that were undecided for too long.
func (is *issuances) expire(now time.Time) {
	for _, t := range is.transactions.inOrder() {
		if t.status() == statusPending && !now.Before(t.ExpiresAt) {
			is.deny(t, denial{"transaction_expired", "the transaction was not decided in time"})
		}
	}
}

// leave denies the open transactions in which a node took part, now that it is disabled. Where
// it did not, the others may be too few.
func (is *issuances) leave(nodeID string) {
	for _, t := range is.transactions.inOrder() {
		switch {
		case t.tookPart(nodeID) && t.status() == statusPending:
			is.deny(t, denial{"node_disabled", "node " + nodeID + ", which took part, was disabled"})
		case t.Rotation != nil:
			is.checkBinding(t)
		default:
			is.advance(t)
		}
	}
}

// checkBinding ends a rotation that is unbound, even after its certificate was issued, and
// reports whether it continues.
func (is *issuances) checkBinding(t *transaction) bool {
	end := is.unbound(t)
	if end != nil {
		is.stop(t, *end)
	}
	return end == nil
}

// checkBindings checks the rotations of an integration that has changed.
func (is *issuances) checkBindings(i *integration) {
	for _, t := range is.transactions.inOrder() {
		if t.Rotation != nil && t.Rotation.IntegrationID == i.IntegrationID {
			is.checkBinding(t)
		}
	}
}

// stop ends a rotation on its way. A certificate that it has must not count as
// one in force.
func (is *issuances) stop(t *transaction, why denial) {
	if t.status() == statusPending {
		is.deny(t, why)
		return
	}
	t.denial = why
	is.discard(t)
	is.end(t, why)
}

// discard revokes the certificate of a rotation that never came into use.
func (is *issuances) discard(t *transaction) {
	if err := is.authority.revoke(t, "cessationOfOperation"); err != nil {
		is.config.Log.Error("the certificate of a rotation was not revoked", "transaction", t.id(), "error",
			err.Error())
	}
}

// revoke revokes the certificate of a transaction for a reason, once.
func (is *issuances) revoke(t *transaction, reason string) error {
	if t.Issued == nil {
		return conflictError("no certificate was issued for transaction %s", t.id())
	}
	if t.Revoked() {
		if known := is.authority.reason(t.id()); known != reason {
			return conflictError("the certificate was revoked for the reason %s", known)
		}
		return nil
	}
	if err := is.authority.revoke(t, reason); err != nil {
		return err
	}
	if is.transactions.open[t.id()] != nil && t.Rotation != nil {
		is.end(t, t.denial)
	}
	return nil
}
