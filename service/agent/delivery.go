package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/adapter"
	"github.com/svc-edge/svc-verify/service/form"
)

// delivery is work of an adapter on a rotation: to stage its certificate, or to
// promote it.
type delivery struct {
	transaction string
	kind        string      // of the work, deliver or promote
	revision    int64       // that the work names
	rotation    seal.Object // as it was stored
	intent      intent
}

// Statuses of the rotations that a kind of work is for, and of those for which it
// was done.
var (
	begunAs = map[string]string{"deliver": "requested", "promote": "staged"}
	endedAs = map[string]string{"deliver": "staged", "promote": "promoted"}
)

// deliveries lead a rotation from its request to its promotion.
type deliveries struct {
	*core
	outbox       *outbox
	integrations *integrations
}

// begin begins a delivery, and reports whether it did. Its outcome is reported later. Work
// that is under way already is no news.
func (ds *deliveries) begin(ctx context.Context, transaction string, r *form.Reader) (bool, error) {
	kind := r.Text("kind", form.Identifier)
	d := &delivery{transaction: transaction, kind: kind}
	integrationID := r.Text("integration_id", form.SubjectID)
	d.revision = r.Number("revision", 1, form.Largest)
	var certificates []string
	if kind == "deliver" {
		certificates = r.Texts("certificates")
	}
	if err := r.Close(); err != nil {
		return false, err
	}
	var err error
	if d.rotation, err = ds.stored(transaction, begunAs[kind]); err != nil {
		return false, err
	}
	if d.intent, err = intentOf(d.rotation); err != nil {
		return false, fmt.Errorf("the stored %s %q: %w", kindRotation, transaction, err)
	}
	if want := d.intent.bound.IntegrationID; integrationID != want {
		return false, fmt.Errorf("rotation %s: expected one of integration %s, found %q", transaction, integrationID,
			want)
	}
	if kind == "deliver" {
		d.rotation["certificates"] = seal.Strings(certificates)
	}
	begun := ds.integrations.operations.launch(ctx, integrationID, d,
		func(ctx context.Context) bool { return ds.finish(ctx, d) })
	return begun != nil, nil
}

// finish carries a delivery out and makes its outcome durable: there is a result,
// and the integration can be checked again. If the node ends in the middle there
// is none, and the same work is given again after the restart.
func (ds *deliveries) finish(ctx context.Context, d *delivery) bool {
	err := ds.carry(ctx, d)
	if err != nil && ctx.Err() != nil {
		var givenUp *adapter.Fault
		if !errors.As(context.Cause(ctx), &givenUp) {
			ds.log.Info("a delivery was interrupted", "transaction_id", d.transaction)
			return false
		}
		err = givenUp
	}
	if err := ds.conclude(d, err); err != nil {
		ds.log.Error("the outcome of a delivery", "transaction_id", d.transaction, "error", err.Error())
	}
	return true
}

// carry has the adapter do the work.
func (ds *deliveries) carry(ctx context.Context, d *delivery) error {
	delivery, err := ds.prepare(d)
	if err != nil {
		return err
	}
	return ds.integrations.adapters.carry(ctx, d.kind, delivery)
}

// prepare makes the delivery for the adapter, if the integration is still as the rotation was
// bound to it, and the certificates match its request.
func (ds *deliveries) prepare(d *delivery) (adapter.Delivery, error) {
	made := adapter.Delivery{Desired: d.intent.bound, TransactionID: d.transaction}
	ds.mu.Lock()
	err := ds.integrations.bound(made.Desired)
	ds.mu.Unlock()
	if err != nil {
		return made, err
	}
	if d.revision != made.Revision {
		return made, adapter.NewFault(bindingCode(made.Kind, "integration_binding_mismatch"),
			fmt.Errorf("the rotation began at revision %d, not at %d", made.Revision, d.revision))
	}
	if made.Key, err = storedKey(d.rotation); err != nil {
		return made, err
	}
	if made.Certificates, err = ds.readChain(d, made.Key); err != nil {
		return made, adapter.NewFault(adapter.DeliveryInvalid, err)
	}
	return made, nil
}

// policyChanged is the code of a rotation whose intent names another policy than
// the one in force (service/docs/service.md).
const policyChanged = "policy_changed"

// namesNotAllowed is the code of a rotation for names that the policy does not
// allow to its profile (service/docs/service.md).
const namesNotAllowed = "names_not_allowed"

// intent describes a rotation, as a policy key signed it.
type intent struct {
	transaction  string
	bound        adapter.Desired // the state that the integration must have all the time
	names        []string        // ascending, as in the terms, SPEC 1.7
	algorithm    string
	promotion    string
	policy       int64 // version
	policySHA256 string
}

// readIntent reads the statement of an intent, which has exactly these members.
func readIntent(statement seal.Object) (intent, error) {
	r := form.Read(statement)
	for _, name := range []string{"protocol", "tenant_id", "node_id"} {
		r.Text(name, form.Label) // whose they are is known
	}
	i := intent{
		transaction: r.Text("transaction_id", form.SubjectID),
		bound:       readBound(r),
		names:       r.Texts("names"), algorithm: r.Text("algorithm", form.Identifier),
		promotion: r.Word("promotion", adapter.PromotionManual, adapter.PromotionAutomatic),
		policy:    r.Number("policy_version", 1, form.Largest), policySHA256: r.Text("policy_sha256", form.Digest),
	}
	i.bound.Enabled = true
	if n := len(i.names); n < 1 || n > maxList || !slices.IsSorted(i.names) ||
		len(slices.Compact(slices.Clone(i.names))) != n {
		r.Fail("names", "1 to %d different texts in ascending order", maxList)
	}
	if err := pki.CheckForm(i.names); err != nil {
		r.Fail("names", "names as in terms")
	}
	if _, err := seal.ParseTime(r.Text("issued_at", form.Label)); err != nil {
		r.Fail("issued_at", "a time")
	}
	return i, r.Close()
}

// intentOf is the intent of a stored rotation.
func intentOf(rotation seal.Object) (intent, error) {
	return readIntent(seal.Member(seal.Member(rotation, "intent"), "statement"))
}

// contradiction is why a rotation cannot go on that is bound to another desired
// state of its integration than the one of now, nil if it is the same.
func contradiction(want, now adapter.Desired) error {
	switch {
	case want == now:
		return nil
	case !now.Enabled:
		return adapter.NewFault(bindingCode(want.Kind, "integration_unavailable"),
			fmt.Errorf("integration %s is disabled", want.IntegrationID))
	}
	return adapter.NewFault(bindingCode(want.Kind, "integration_binding_mismatch"),
		fmt.Errorf("integration %s is at revision %d of %s %s, the rotation at %d of %s %s", want.IntegrationID,
			now.Revision, now.Kind, now.AdapterReference, want.Revision, want.Kind, want.AdapterReference))
}
