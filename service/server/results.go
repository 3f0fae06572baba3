package server

import (
	"errors"

	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/httpd"
)

// maximumResults is how many results one call may bring.
const maximumResults = 256

// intake accepts the results of nodes, and hands each to its handler.
type intake struct {
	*rotations
	checkpoints *checkpoints
}

// results accepts the results of a node. All that is taken is durable together.
func (in *intake) results(c *call) (seal.Object, error) {
	list, ok := c.Body["results"].([]any)
	f := readFields(c.Body)
	f.Has("results")
	if !ok || len(list) > maximumResults {
		f.Fail("results", "a list of at most %d results", maximumResults)
	}
	if err := f.close(); err != nil {
		return nil, err
	}
	refused, issued := []any{}, []any{}
	err := in.update(func() error {
		n, err := in.nodes.caller(c)
		if err != nil {
			return err
		}
		for i, element := range list {
			result, _ := element.(seal.Object)
			err := in.result(n, result)
			if err == nil && seal.Text(result, "kind") == "decide" &&
				in.authority.issued(seal.Text(result, "transaction_id")) {
				issued = append(issued, result["transaction_id"])
			}
			var p *httpd.Problem
			if err != nil && !errors.As(err, &p) {
				return err
			}
			if err != nil {
				refused = append(refused, seal.Object{"index": int64(i), "code": p.Code, "detail": p.Detail})
				in.stopAsking(n, seal.Text(result, "transaction_id"), p)
			}
		}
		return nil
	})
	return seal.Object{"refused": refused, "issued": issued}, err
}

// result accepts one result of a node.
func (in *intake) result(n *node, result seal.Object) error {
	accept := map[string]func(*node, *fields) error{
		"observe": in.acceptObservation, "approve": in.acceptApproval, "decide": in.acceptDecision,
		"witness": in.checkpoints.acceptReceipt,
		"request": in.acceptRequest, "deliver": in.acceptDelivery, "integration": in.integrations.accept,
	}[seal.Text(result, "kind")]
	if accept == nil {
		return httpd.Invalid("kind: %q is none that a result has", seal.Text(result, "kind"))
	}
	f := readFields(result)
	f.Has("kind")
	return accept(n, f)
}

// stopAsking keeps a node from being asked again for anything that it answered wrongly, as long as
// the transaction is undecided. Its right answer is still taken. To come too late is not
// wrong.
func (in *intake) stopAsking(n *node, transactionID string, p *httpd.Problem) {
	if t := in.transactions.open[transactionID]; t != nil && t.status() == statusPending && p.Code != "conflict" {
		t.spurned[n.id] = true
	}
}

// signedFor reads a statement that a node signed for a transaction: the transaction, the
// envelope and its statement.
func (in *intake) signedFor(n *node, f *fields, name, protocol string) (t *transaction, envelope,
	statement seal.Object, err error) {
	envelope = f.Object(name)
	if t, err = in.transactions.concerned(f); err != nil {
		return nil, nil, nil, err
	}
	statement, err = in.signedBy(n, envelope, protocol)
	return t, envelope, statement, err
}

func (in *intake) acceptObservation(n *node, f *fields) error {
	t, evidence, statement, err := in.signedFor(n, f, "evidence", "svc.capability-evidence.v1")
	if err != nil {
		return err
	}
	for _, known := range t.Case.Capability {
		if seal.StatementDigest(known) == seal.Digest(statement) {
			return nil
		}
	}
	if err := in.expects(t, stageObserve); err != nil {
		return err
	}
	want := consent.RequiredCapability(in.policies.current(), t.Case.Terms)
	if err := checkCapability(statement, t.profile(), want); err != nil {
		return err
	}
	if err := in.cloud.AddCapability(t.Transaction, evidence); err != nil {
		return httpd.Invalid("%s", err)
	}
	delete(t.spurned, n.id)
	t.Since = in.now()
	in.save(kindTransaction, t.id(), t.document)
	return nil
}

func (in *intake) acceptApproval(n *node, f *fields) error {
	t, approval, statement, err := in.signedFor(n, f, "approval", "svc.approval.v1")
	if err != nil {
		return err
	}
	digest := seal.Digest(statement)
	if t.Votes[n.id] == digest {
		return nil
	}
	if err := in.expects(t, stageApprove); err != nil {
		return err
	}
	if t.Votes[n.id] != "" {
		return conflictError("node %s has answered already", n.id)
	}
	if err := checkApproval(t, statement, in.now()); err != nil {
		return err
	}
	if err := in.cloud.RecordApproval(t.Transaction, approval); err != nil {
		return httpd.Invalid("%s", err)
	}
	delete(t.spurned, n.id)
	t.Votes[n.id] = digest
	if seal.Text(statement, "decision") != "allow" {
		t.Denials[n.id] = true
	}
	if t.stage(in.policies.current()) == stageDecide {
		t.Since = in.now()
	}
	in.save(kindTransaction, t.id(), t.document)
	in.advance(t)
	return nil
}

func (in *intake) acceptDecision(n *node, f *fields) error {
	t, decision, statement, err := in.signedFor(n, f, "decision", "svc.decision.v1")
	if err != nil {
		return err
	}
	if t.Case.Customer != nil && seal.StatementDigest(t.Case.Customer) == seal.Digest(statement) {
		return nil
	}
	if err := in.expects(t, stageDecide); err != nil {
		return err
	}
	if !t.approvedBy(n.id) {
		return conflictError("node %s is no approver of transaction %s", n.id, t.id())
	}
	if err := checkDecision(t, statement); err != nil {
		return err
	}
	if err := in.cloud.RecordCustomerDecision(t.Transaction, decision); err != nil {
		return httpd.Invalid("%s", err)
	}
	in.save(kindTransaction, t.id(), t.document)
	in.advance(t)
	return nil
}
