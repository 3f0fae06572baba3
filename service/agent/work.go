package agent

import (
	"context"
	"fmt"

	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/durable"
	"github.com/svc-edge/svc-verify/service/form"
)

// work is what the cloud asks the node to do.
type work struct {
	*core
	outbox       *outbox
	capabilities *capabilities
	operations   *operations
	deliveries   *deliveries
}

// adopt works on what the cloud asks for. One piece that cannot be worked on
// does not keep the others waiting.
func (w *work) adopt(ctx context.Context, value any) (bool, error) {
	return adoptEach("work", value, func(i int, piece seal.Object) (bool, error) {
		fresh, err := w.workOn(ctx, piece)
		if err != nil {
			w.log.Warn("a piece of work was refused", "index", i, "error", err.Error())
		}
		return fresh, nil
	})
}

// adoptEach adopts what a list of the cloud's answer holds, up to the first fault, and
// reports whether any of it was new. An answer may lack the list.
func adoptEach(name string, value any, adopt func(i int, o seal.Object) (bool, error)) (news bool, err error) {
	if value == nil {
		return false, nil
	}
	r := form.Read(seal.Object{name: value})
	list := r.Objects(name)
	if err := r.Close(); err != nil {
		return false, err
	}
	for i, o := range list {
		fresh, err := adopt(i, o)
		if err != nil {
			return news, fmt.Errorf("%s/%d: %w", name, i, err)
		}
		news = news || fresh
	}
	return news, nil
}

// job works on one kind of work, within a decision, and returns its result. It
// reads every member of the piece beside kind and transaction_id.
type job func(tx *durable.Tx, transactionID string, r *form.Reader) (seal.Object, error)

// workOn works on one piece and reports whether it was new. A piece that was
// worked on before has its result handed over again, whatever else it says now:
// a node judges a transaction once.
func (w *work) workOn(ctx context.Context, piece seal.Object) (bool, error) {
	r := form.Read(piece)
	kind, transaction := r.Text("kind", form.Identifier), r.Text("transaction_id", form.SubjectID)
	if err := r.Err(); err != nil {
		return false, err
	}
	if w.operations.delivers(transaction) {
		return false, nil // it is answered when that has come to its end
	}
	id := transaction + "/" + kind
	answered, err := w.store.Get(kindAnswer, id)
	if err != nil {
		return false, err
	}
	if answered != nil {
		return false, w.update(func(tx *durable.Tx) error { return w.outbox.offer(tx, answered) })
	}
	jobs := map[string]job{"observe": w.capabilities.observe, "approve": w.approve, "decide": w.decideFor,
		"request": w.deliveries.request}
	switch {
	case jobs[kind] != nil:
		err := w.do(jobs[kind], transaction, r)
		return err == nil, err
	case begunAs[kind] != "":
		return w.deliveries.begin(ctx, transaction, r)
	}
	return false, fmt.Errorf("unknown kind of work %q", kind)
}

// do makes a job's result durable and hands it over.
func (w *work) do(j job, transaction string, r *form.Reader) error {
	return w.update(func(tx *durable.Tx) error {
		result, err := j(tx, transaction, r)
		if err != nil {
			return err
		}
		return w.outbox.finish(tx, transaction, r.Text("kind", form.Identifier), result)
	})
}

// approve judges the terms of a transaction.
func (w *work) approve(_ *durable.Tx, transaction string, r *form.Reader) (seal.Object, error) {
	c := consent.Case{TransactionID: transaction, Terms: r.Object("terms"),
		Capability: r.Objects("capability_evidence")}
	if err := readTerms(c.Terms, r.Close()); err != nil {
		return nil, refuse(err)
	}
	approval := w.node.Approve(c)
	w.metrics.requests.Inc()
	w.metrics.decision(seal.Text(seal.Member(approval, "statement"), "decision"))
	return seal.Object{"kind": "approve", "transaction_id": transaction, "approval": approval}, nil
}

// decideFor signs the customer's decision over the approvals of a transaction.
func (w *work) decideFor(_ *durable.Tx, transaction string, r *form.Reader) (seal.Object, error) {
	c := consent.Case{
		TransactionID: transaction, Terms: r.Object("terms"),
		Capability: r.Objects("capability_evidence"), Approvals: r.Objects("approvals"),
	}
	if err := readTerms(c.Terms, r.Close()); err != nil {
		return nil, refuse(err)
	}
	return seal.Object{"kind": "decide", "transaction_id": transaction, "decision": w.node.Decide(c)}, nil
}

// readTerms checks the form of terms, SPEC 7.2: the node puts its name to
// nothing else, not even in a denial. What they say is for the policy to judge.
func readTerms(terms seal.Object, err error) error {
	if err != nil {
		return err
	}
	r := form.Read(terms)
	r.Text("workload_profile", form.Identifier)
	r.Text("algorithm", form.Identifier)
	r.Text("policy_sha256", form.Digest)
	r.Text("public_key_sha256", form.Digest)
	for _, name := range []string{"lifetime_seconds", "policy_version", "required_approvals"} {
		r.Number(name, 1, form.Largest)
	}
	for _, name := range []string{"names", "extended_key_usages"} {
		if n := len(r.Texts(name)); n < 1 || n > maxList {
			r.Fail(name, "1 to %d texts", maxList)
		}
	}
	if err := r.Close(); err != nil {
		return fmt.Errorf("terms: %w", err)
	}
	return nil
}

// maxList is the length of a list of terms, SPEC 1.6.
const maxList = 1024
