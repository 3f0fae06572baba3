package agent

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/svc-edge/svc-verify/harness/durable"
	"github.com/svc-edge/svc-verify/harness/wire"
)

// integration is one that the console assigned to the node.
type integration struct {
	Desired
	checked  bool   // since the start
	code     string // why it is degraded, empty if it is healthy
	answered string // what the cloud was last told, empty if nothing
}

// answer is what the cloud is told of the integration's state.
func (i *integration) answer() wire.Object {
	result := wire.Object{"kind": "integration", "integration_id": i.IntegrationID, "revision": i.Revision, "state": "healthy"}
	if i.code != "" {
		result["state"], result["error_code"] = "degraded", i.code
	}
	return result
}

// document is how the integration is kept.
func (i *integration) document() wire.Object {
	o := wire.Object{
		"integration_id": i.IntegrationID, "kind": i.Kind, "adapter_reference": i.AdapterReference,
		"profile_id": i.ProfileID, "revision": i.Revision, "enabled": i.Enabled,
	}
	return wire.Object{"desired": o, "answered": i.answered, "error_code": i.code}
}

func readDesired(o wire.Object) (Desired, error) {
	r := newReader(o)
	d := Desired{
		IntegrationID: r.text("integration_id", subjectForm), Kind: r.text("kind", identifierForm),
		AdapterReference: r.text("adapter_reference", labelForm), ProfileID: r.text("profile_id", labelForm),
		Revision: r.number("revision", 1), Enabled: r.flag("enabled"),
	}
	return d, r.end()
}

func (a *Agent) restoreIntegrations() error {
	return a.each(kindIntegration, func(e durable.Entry) error {
		d, err := readDesired(wire.Member(e.Document, "desired"))
		if err != nil {
			return fmt.Errorf("the stored %s %q: %w", kindIntegration, e.ID, err)
		}
		a.integrations[e.ID] = &integration{
			Desired: d, answered: wire.Text(e.Document, "answered"), code: wire.Text(e.Document, "error_code"),
		}
		return nil
	})
}

// adapter is what operates integrations of a kind, nil if nothing does.
func (a *Agent) adapter(kind string) Adapter {
	switch kind {
	case kindNginx:
		return nginx{filepath.Join(a.config.StateDirectory.Path, "managed", kindNginx)}
	case kindSecretStore:
		return secretStore{settings: a.config.Store}
	}
	return nil
}

// takeIntegrations takes over the desired state of integrations, and checks
// them before there is work for them.
func (a *Agent) takeIntegrations(ctx context.Context, value any) (bool, error) {
	if value == nil {
		return false, nil
	}
	list := newReader(wire.Object{"integrations": value})
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
func (a *Agent) desire(d Desired) (bool, error) {
	fresh := false
	err := a.decide(func(tx *durable.Tx) error {
		known := a.integrations[d.IntegrationID]
		switch {
		case known != nil && d.Revision < known.Revision:
			return refuse(fmt.Errorf("revision: expected %d or more, found %d", known.Revision, d.Revision))
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
func (a *Agent) checkIntegrations(ctx context.Context) {
	a.mu.Lock()
	ids := slices.Sorted(maps.Keys(a.integrations))
	a.mu.Unlock()
	for _, id := range ids {
		if err := a.checkIntegration(ctx, id); err != nil {
			a.log.Warn("an integration", "integration_id", id, "error", err.Error())
		}
	}
}

func (a *Agent) checkIntegration(ctx context.Context, id string) error {
	a.mu.Lock()
	desired := a.integrations[id].Desired
	a.mu.Unlock()
	state := a.operate(ctx, desired)
	err := a.decide(func(tx *durable.Tx) error {
		i := a.integrations[id]
		if i.Desired != desired {
			return nil // it is checked again
		}
		i.checked, i.code = true, codeOf(state)
		result := i.answer()
		told := wire.Digest(result)
		if told == i.answered {
			return nil
		}
		if state != nil {
			a.log.Warn("an integration is degraded", "integration_id", id, "error", state.Error())
		}
		i.answered = told
		if !i.Enabled {
			delete(a.integrations, id)
			return errors.Join(tx.Delete(kindIntegration, id), a.put(tx, result))
		}
		return errors.Join(tx.Put(kindIntegration, id, i.document()), a.put(tx, result))
	})
	return err
}

// operate lets the adapter take over the desired state.
func (a *Agent) operate(ctx context.Context, d Desired) error {
	adapter := a.adapter(d.Kind)
	switch {
	case adapter == nil && d.Enabled:
		return fault(codeAdapterUnavailable, fmt.Errorf("this node has no adapter of kind %q", d.Kind))
	case adapter == nil:
		return nil
	case d.Enabled:
		return adapter.Check(ctx, d)
	}
	return adapter.Withdraw(ctx, d)
}

// bound returns the desired state that a rotation is bound to; the error's code
// says why there is none. It is called within decisions.
func (a *Agent) bound(integrationID string, revision int64) (Desired, error) {
	i := a.integrations[integrationID]
	if i == nil {
		return Desired{}, fault("integration_unavailable", fmt.Errorf("integration %s is not assigned to this node", integrationID))
	}
	switch {
	case !i.Enabled || i.code != "" || !i.checked:
		return Desired{}, fault(bindingCode(i.Kind, "integration_unavailable"), fmt.Errorf("integration %s is not in operation", integrationID))
	case i.Revision != revision:
		return Desired{}, fault(bindingCode(i.Kind, "integration_binding_mismatch"),
			fmt.Errorf("integration %s has revision %d, the rotation %d", integrationID, i.Revision, revision))
	}
	return i.Desired, nil
}
