package agent

import (
	"context"
	"fmt"
	"time"

	"github.com/svc-edge/svc-verify/harness/consent"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/durable"
	"github.com/svc-edge/svc-verify/service/form"
	"github.com/svc-edge/svc-verify/service/httpd"
	"github.com/svc-edge/svc-verify/service/topic"
)

// work handles the work that the cloud requests from the node.
type work struct {
	*core
	outbox       *outbox
	capabilities *capabilities
	operations   *operations
	deliveries   *deliveries
}

// adopt does the requested work. One piece that cannot be worked on does not keep the others
// waiting.
func (w *work) adopt(ctx context.Context, value any) (bool, error) {
	return adoptEach("work", value, func(i int, piece seal.Object) (bool, error) {
		fresh, err := w.workOn(ctx, piece)
		if err != nil {
			w.log.Warn("a piece of work was refused", "index", i, "error", err.Error())
		}
		return fresh, nil
	})
}

// adoptEach adopts the entries of a list in the cloud's answer, up to the first fault, and
// reports whether any of them was new. An answer may lack the list.
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

// job works on one kind of work, within a decision, and returns its result. It reads every
// member of the piece except kind and transaction_id.
type job func(tx *durable.Tx, transactionID string, r *form.Reader) (seal.Object, error)

// workOn works on one piece and reports whether it was new. The result of a piece that was
// worked on before is handed over again, whatever else the piece contains now: a node judges a
// transaction once.
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
	w.metrics.decisions.WithLabelValues(seal.Text(seal.Member(approval, "statement"), "decision")).Inc()
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

// readTerms checks the form of terms, SPEC 7.2: the node puts its name to nothing else, not
// even in a denial. Their content is for the policy to judge.
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

// capabilities are the capabilities that the node has observed, with the lifetime of their
// evidence.
type capabilities struct {
	*core
	lifetime time.Duration
	lapses   chan struct{} // there is new evidence to watch
}

// capabilityID is the id of the evidence of a profile's capability.
func capabilityID(profile, capability string) string {
	return seal.Digest(seal.Strings([]string{profile, capability}))
}

// observe gives evidence of a capability. Evidence that holds for at least half
// of its lifetime yet is given again.
func (c *capabilities) observe(tx *durable.Tx, transaction string, r *form.Reader) (seal.Object, error) {
	profile, capability := r.Text("workload_profile", form.Identifier), r.Text("capability", form.Identifier)
	if err := r.Close(); err != nil {
		return nil, refuse(err)
	}
	id := capabilityID(profile, capability)
	evidence, err := c.store.Get(kindCapability, id)
	if err != nil {
		return nil, err
	}
	if expires, err := expiry(evidence); err != nil || expires.Before(c.now().Add(c.lifetime/2)) {
		evidence = c.node.Observe(profile, capability)
		if err := tx.Put(kindCapability, id, evidence); err != nil {
			return nil, err
		}
		if err := c.publish(topic.CapabilityObserved, capabilityData(evidence)); err != nil {
			return nil, err
		}
		signal(c.lapses)
	}
	return seal.Object{"kind": "observe", "transaction_id": transaction, "evidence": evidence}, nil
}

// expiry is when capability evidence ends.
func expiry(evidence seal.Object) (time.Time, error) {
	return seal.ParseTime(seal.Text(seal.Member(evidence, "statement"), "expires_at"))
}

// capabilityData returns the data of a trust event about capability evidence.
func capabilityData(evidence seal.Object) seal.Object {
	statement := seal.Member(evidence, "statement")
	return seal.Object{
		"workload_profile":           statement["workload_profile"],
		"capability":                 statement["capability"],
		"capability_evidence_sha256": seal.StatementDigest(evidence),
		"expires_at":                 statement["expires_at"],
	}
}

// watch returns when the last evidence of a capability lapses.
func (c *capabilities) watch(ctx context.Context) error {
	for ctx.Err() == nil {
		next, err := c.lapse(c.now())
		if err != nil {
			return err
		}
		_ = httpd.Pause(ctx, max(time.Until(next), time.Millisecond), c.lapses)
	}
	return nil
}

// lapse expires the evidence that has ended by now, and returns when to look again.
func (c *capabilities) lapse(now time.Time) (time.Time, error) {
	next := now.Add(c.lifetime)
	var lapsed []durable.Entry
	err := c.store.Each(kindCapability, "", func(e durable.Entry) error {
		expires, err := expiry(e.Document)
		if err != nil {
			return err
		}
		if !now.Before(expires) {
			lapsed = append(lapsed, e)
		} else if expires.Before(next) {
			next = expires
		}
		return nil
	})
	if err != nil {
		return next, err
	}
	for _, e := range lapsed {
		if err := c.expire(e); err != nil {
			return next, err
		}
	}
	return next, nil
}

// expire forgets evidence and publishes its end, unless newer evidence has replaced it since.
func (c *capabilities) expire(e durable.Entry) error {
	return c.update(func(tx *durable.Tx) error {
		current, err := c.store.Get(kindCapability, e.ID)
		if err != nil || seal.StatementDigest(current) != seal.StatementDigest(e.Document) {
			return err
		}
		if err := tx.Delete(kindCapability, e.ID); err != nil {
			return err
		}
		return c.publish(topic.CapabilityExpired, capabilityData(e.Document))
	})
}
