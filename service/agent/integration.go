package agent

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/adapter"
	"github.com/svc-edge/svc-verify/service/durable"
)

// integration is one that the console assigned to the node.
type integration struct {
	adapter.Desired
	checked  bool   // since the start
	code     string // why it is degraded, empty if it is healthy
	answered string // what the cloud was last told, empty if nothing
}

// answer is what the cloud is told of the integration's state.
func (i *integration) answer() seal.Object {
	result := seal.Object{"kind": "integration", "integration_id": i.IntegrationID, "revision": i.Revision, "state": "healthy"}
	if i.code != "" {
		result["state"], result["error_code"] = "degraded", i.code
	}
	return result
}

// document is how the integration is kept.
func (i *integration) document() seal.Object {
	o := seal.Object{
		"integration_id": i.IntegrationID, "kind": i.Kind, "adapter_reference": i.AdapterReference,
		"profile_id": i.ProfileID, "revision": i.Revision, "enabled": i.Enabled,
	}
	return seal.Object{"desired": o, "answered": i.answered, "error_code": i.code}
}

func readDesired(o seal.Object) (adapter.Desired, error) {
	r := newReader(o)
	d := adapter.Desired{
		IntegrationID: r.text("integration_id", subjectForm), Kind: r.text("kind", identifierForm),
		AdapterReference: r.text("adapter_reference", labelForm), ProfileID: r.text("profile_id", labelForm),
		Revision: r.number("revision", 1), Enabled: r.flag("enabled"),
	}
	return d, r.end()
}

func (a *Agent) restoreIntegrations() error {
	return a.each(kindIntegration, func(e durable.Entry) error {
		d, err := readDesired(seal.Member(e.Document, "desired"))
		if err != nil {
			return fmt.Errorf("the stored %s %q: %w", kindIntegration, e.ID, err)
		}
		a.integrations[e.ID] = &integration{
			Desired: d, answered: seal.Text(e.Document, "answered"), code: seal.Text(e.Document, "error_code"),
		}
		return nil
	})
}

// takeIntegrations takes over the desired state of integrations, and checks
// them before there is work for them.
func (a *Agent) takeIntegrations(ctx context.Context, value any) (bool, error) {
	if value == nil {
		return false, nil
	}
	list := newReader(seal.Object{"integrations": value})
	documents := list.members("integrations")
	if err := list.end(); err != nil {
		return false, err
	}
	news := false
	for n, o := range documents {
		d, err := readDesired(o)
		if err != nil {
			return news, fmt.Errorf("integrations/%d: %w", n, err)
		}
		fresh, err := a.desire(d)
		if err != nil {
			return news, fmt.Errorf("integrations/%d: %w", n, err)
		}
		news = news || fresh
	}
	if news {
		a.checkIntegrations(ctx)
	}
	return news, nil
}

// desire takes over a desired state, unless a newer one is known.
func (a *Agent) desire(d adapter.Desired) (bool, error) {
	fresh := false
	err := a.update(func(tx *durable.Tx) error {
		known := a.integrations[d.IntegrationID]
		switch {
		case known != nil && d.Revision < known.Revision:
			return refuse(fmt.Errorf("revision: expected %d or more, found %d", known.Revision, d.Revision))
		case known != nil && d.Kind != known.Kind:
			return refuse(fmt.Errorf("kind: expected %s, found %q", known.Kind, d.Kind))
		case known != nil && d == known.Desired:
			return nil
		}
		i := &integration{Desired: d}
		fresh, a.integrations[d.IntegrationID] = true, i
		return tx.Put(kindIntegration, d.IntegrationID, i.document())
	})
	return fresh, err
}

// checkIntegrations checks every integration, and tells the cloud what changed.
// One that has a delivery under way is left alone until that has come to its
// end: nobody calls two methods of its adapter at a time.
func (a *Agent) checkIntegrations(ctx context.Context) {
	a.mu.Lock()
	all := make([]adapter.Desired, 0, len(a.integrations))
	for _, id := range slices.Sorted(maps.Keys(a.integrations)) {
		all = append(all, a.integrations[id].Desired)
	}
	a.mu.Unlock()
	var checks []*operation
	for _, d := range all {
		a.giveUp(d)
		if o := a.launch(ctx, d.IntegrationID, nil, func(ctx context.Context) bool { return a.checkIntegration(ctx, d) }); o != nil {
			checks = append(checks, o)
		}
	}
	await(ctx, checks)
}

// checkIntegration lets the adapter take over a desired state, and makes durable
// what came of it. It reports whether there is anything to tell the cloud, or
// the desired state is another one by now.
func (a *Agent) checkIntegration(ctx context.Context, desired adapter.Desired) bool {
	state := a.operate(ctx, desired)
	if ctx.Err() != nil {
		return false // what the node's end broke off says nothing of the integration
	}
	news, err := a.checked(desired, state)
	if err != nil {
		a.log.Warn("an integration", "integration_id", desired.IntegrationID, "error", err.Error())
	}
	return news
}

// checked makes the state of an integration durable, and tells the cloud of a
// new one. A tombstone stays until the adapter has withdrawn the integration.
func (a *Agent) checked(desired adapter.Desired, state error) (news bool, err error) {
	id := desired.IntegrationID
	err = a.update(func(tx *durable.Tx) error {
		i := a.integrations[id]
		if i == nil {
			return nil // a tombstone that was answered meanwhile
		}
		if news = i.Desired != desired; news {
			return nil // it is checked again
		}
		i.checked, i.code = true, adapter.CodeOf(state)
		result := i.answer()
		told := seal.Digest(result)
		if news = told != i.answered; !news {
			return nil
		}
		if state != nil {
			a.log.Warn("an integration is degraded", "integration_id", id, "error", state.Error())
		}
		i.answered = told
		if !i.Enabled && state == nil {
			delete(a.integrations, id)
			return errors.Join(tx.Delete(kindIntegration, id), a.outbox.put(tx, result))
		}
		return errors.Join(tx.Put(kindIntegration, id, i.document()), a.outbox.put(tx, result))
	})
	return news, err
}

// operate lets the adapter take over a desired state.
func (a *Agent) operate(ctx context.Context, d adapter.Desired) error {
	by := a.adapter(d.Kind)
	switch {
	case by == nil && d.Enabled:
		return adapter.NewFault(adapter.Unavailable, fmt.Errorf("this node has no adapter of kind %q", d.Kind))
	case by == nil:
		return nil
	case d.Enabled:
		return by.Check(ctx, d)
	}
	return by.Withdraw(ctx, d)
}
