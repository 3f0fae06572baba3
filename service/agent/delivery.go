package agent

import (
	"context"
	"errors"
	"fmt"

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

// begin begins a delivery, and reports whether it did. What it comes to
// is told later. Work that is under way already is no news.
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
	to := ds.integrations.adapters.of(d.intent.bound.Kind)
	if d.kind == "deliver" {
		return to.Stage(ctx, delivery)
	}
	return to.Promote(ctx, delivery)
}

// prepare makes what the adapter is to deliver, if the integration is still as
// the rotation was bound to it, and the certificates are those of its request.
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
