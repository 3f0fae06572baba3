package agent

import (
	"context"
	"fmt"

	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/durable"
)

// takeWork works on what the cloud asks for. One piece that cannot be worked on
// does not keep the others waiting.
func (a *Agent) takeWork(ctx context.Context, value any) (bool, error) {
	if value == nil {
		return false, nil
	}
	list := newReader(seal.Object{"work": value})
	pieces := list.members("work")
	if err := list.end(); err != nil {
		return false, err
	}
	news := false
	for i, piece := range pieces {
		fresh, err := a.workOn(ctx, piece)
		news = news || fresh
		if err != nil {
			a.log.Warn("a piece of work was refused", "index", i, "error", err.Error())
		}
	}
	return news, nil
}

// job works on one kind of work, within a decision, and returns its result. It
// reads every member of the piece beside kind and transaction_id.
type job func(tx *durable.Tx, transactionID string, r *reader) (seal.Object, error)

// workOn works on one piece and reports whether it was new. A piece that was
// worked on before has its result handed over again, whatever else it says now:
// a node judges a transaction once.
func (a *Agent) workOn(ctx context.Context, piece seal.Object) (bool, error) {
	r := newReader(piece)
	kind, transaction := r.text("kind", identifierForm), r.text("transaction_id", subjectForm)
	if r.err != nil {
		return false, r.err
	}
	if a.operations.delivers(transaction) {
		return false, nil // it is answered when that has come to its end
	}
	id := transaction + "/" + kind
	answered, err := a.store.Get(kindAnswer, id)
	if err != nil {
		return false, err
	}
	if answered != nil {
		return false, a.update(func(tx *durable.Tx) error { return a.outbox.offer(tx, answered) })
	}
	jobs := map[string]job{"observe": a.capabilities.observe, "approve": a.approve, "decide": a.decideFor, "request": a.request}
	switch {
	case jobs[kind] != nil:
		err := a.do(jobs[kind], transaction, r)
		return err == nil, err
	case begunAs[kind] != "":
		return a.takeDelivery(ctx, transaction, r)
	}
	return false, fmt.Errorf("unknown kind of work %q", kind)
}

// do makes a job's result durable and hands it over.
func (a *Agent) do(work job, transaction string, r *reader) error {
	return a.update(func(tx *durable.Tx) error {
		result, err := work(tx, transaction, r)
		if err != nil {
			return err
		}
		return a.outbox.finish(tx, transaction, seal.Text(r.object, "kind"), result)
	})
}

// approve judges the terms of a transaction.
func (a *Agent) approve(_ *durable.Tx, transaction string, r *reader) (seal.Object, error) {
	c := consent.Case{TransactionID: transaction, Terms: r.member("terms"), Capability: r.members("capability_evidence")}
	if err := readTerms(c.Terms, r.end()); err != nil {
		return nil, refuse(err)
	}
	approval := a.node.Approve(c)
	a.metrics.requests.Inc()
	a.metrics.decision(seal.Text(seal.Member(approval, "statement"), "decision"))
	return seal.Object{"kind": "approve", "transaction_id": transaction, "approval": approval}, nil
}

// decideFor signs the customer's decision over the approvals of a transaction.
func (a *Agent) decideFor(_ *durable.Tx, transaction string, r *reader) (seal.Object, error) {
	c := consent.Case{
		TransactionID: transaction, Terms: r.member("terms"),
		Capability: r.members("capability_evidence"), Approvals: r.members("approvals"),
	}
	if err := readTerms(c.Terms, r.end()); err != nil {
		return nil, refuse(err)
	}
	return seal.Object{"kind": "decide", "transaction_id": transaction, "decision": a.node.Decide(c)}, nil
}

// readTerms checks the form of terms, SPEC 7.2: the node puts its name to
// nothing else, not even in a denial. What they say is for the policy to judge.
func readTerms(terms seal.Object, err error) error {
	if err != nil {
		return err
	}
	r := newReader(terms)
	r.text("workload_profile", identifierForm)
	r.text("algorithm", identifierForm)
	r.text("policy_sha256", hashForm)
	r.text("public_key_sha256", hashForm)
	for _, name := range []string{"lifetime_seconds", "policy_version", "required_approvals"} {
		r.number(name, 1)
	}
	for _, name := range []string{"names", "extended_key_usages"} {
		if n := len(r.texts(name)); n < 1 || n > maxList {
			r.fail(name, fmt.Sprintf("1 to %d texts", maxList))
		}
	}
	if err := r.end(); err != nil {
		return fmt.Errorf("terms: %w", err)
	}
	return nil
}

// maxList is the length of a list of terms, SPEC 1.6.
const maxList = 1024
