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
	"github.com/svc-edge/svc-verify/service/form"
)

// integration is one that the console assigned to the node.
type integration struct {
	adapter.Desired `json:"desired"`
	checked         bool   // since the start
	Code            string `json:"error_code"` // why it is degraded, empty if it is healthy
	Told            string `json:"answered"`   // digest of the last result for the cloud, or empty
}

// result returns the integration's state for the cloud.
func (i *integration) result() seal.Object {
	result := seal.Object{"kind": "integration", "integration_id": i.IntegrationID, "revision": i.Revision,
		"state": "healthy"}
	if i.Code != "" {
		result["state"], result["error_code"] = "degraded", i.Code
	}
	return result
}

// readBound reads a desired state, save whether it is enabled.
func readBound(r *form.Reader) adapter.Desired {
	return adapter.Desired{
		IntegrationID: r.Text("integration_id", form.SubjectID), Kind: r.Text("kind", form.Identifier),
		AdapterReference: r.Text("adapter_reference", form.Label), ProfileID: r.Text("profile_id", form.Label),
		Revision: r.Number("revision", 1, form.Largest),
	}
}

// integrations contains the integrations that the console assigned to the node.
type integrations struct {
	*core
	outbox     *outbox
	adapters   *adapters
	operations *operations
	byID       map[string]*integration
}

func (is *integrations) restore() error {
	return is.store.Each(kindIntegration, "", func(e durable.Entry) error {
		is.byID[e.ID] = &integration{}
		return form.Restore(e.Document, is.byID[e.ID])
	})
}

// adopt accepts the desired state of integrations, and checks them before there is work for
// them.
func (is *integrations) adopt(ctx context.Context, value any) (bool, error) {
	news, err := adoptEach("integrations", value, func(_ int, o seal.Object) (bool, error) {
		r := form.Read(o)
		d := readBound(r)
		d.Enabled = r.Flag("enabled")
		if err := r.Close(); err != nil {
			return false, err
		}
		return is.desire(d)
	})
	if news && err == nil {
		is.checkAll(ctx)
	}
	return news, err
}

// desire accepts a desired state, unless a newer one is known.
func (is *integrations) desire(d adapter.Desired) (bool, error) {
	fresh := false
	err := is.update(func(tx *durable.Tx) error {
		known := is.byID[d.IntegrationID]
		switch {
		case known != nil && d.Revision < known.Revision:
			return refuse(fmt.Errorf("revision: expected %d or more, found %d", known.Revision, d.Revision))
		case known != nil && d.Kind != known.Kind:
			return refuse(fmt.Errorf("kind: expected %s, found %q", known.Kind, d.Kind))
		case known != nil && d == known.Desired:
			return nil
		}
		i := &integration{Desired: d}
		fresh, is.byID[d.IntegrationID] = true, i
		return tx.Put(kindIntegration, d.IntegrationID, form.Document(i))
	})
	return fresh, err
}

// checkAll checks every integration, and reports changes to the cloud. One that has a delivery
// under way is left alone until that has come to its end: no one calls two methods of its
// adapter at a time.
func (is *integrations) checkAll(ctx context.Context) {
	is.mu.Lock()
	all := make([]adapter.Desired, 0, len(is.byID))
	for _, id := range slices.Sorted(maps.Keys(is.byID)) {
		all = append(all, is.byID[id].Desired)
	}
	is.mu.Unlock()
	var checks []*operation
	for _, d := range all {
		is.operations.giveUp(d)
		if o := is.operations.launch(ctx, d.IntegrationID, nil,
			func(ctx context.Context) bool { return is.check(ctx, d) }); o != nil {
			checks = append(checks, o)
		}
	}
	awaitSignal(ctx, checks)
}

// check has the adapter adopt a desired state, and makes the outcome durable. It reports
// whether there is anything to tell the cloud, or the desired state is another one by now.
func (is *integrations) check(ctx context.Context, desired adapter.Desired) bool {
	state := is.adapters.operate(ctx, desired)
	if ctx.Err() != nil {
		return false // a check that the node's end broke off proves nothing about the integration
	}
	news, err := is.checked(desired, state)
	if err != nil {
		is.log.Warn("an integration", "integration_id", desired.IntegrationID, "error", err.Error())
	}
	return news
}

// checked makes the state of an integration durable, and reports a new one to the cloud. A
// tombstone stays until the adapter has withdrawn the integration.
func (is *integrations) checked(desired adapter.Desired, state error) (news bool, err error) {
	id := desired.IntegrationID
	err = is.update(func(tx *durable.Tx) error {
		i := is.byID[id]
		if i == nil {
			return nil // a tombstone that was answered meanwhile
		}
		if news = i.Desired != desired; news {
			return nil // it is checked again
		}
		i.checked, i.Code = true, adapter.CodeOf(state)
		result := i.result()
		digest := seal.Digest(result)
		if news = digest != i.Told; !news {
			return nil
		}
		if state != nil {
			is.log.Warn("an integration is degraded", "integration_id", id, "error", state.Error())
		}
		i.Told = digest
		if !i.Enabled && state == nil {
			delete(is.byID, id)
			return errors.Join(tx.Delete(kindIntegration, id), is.outbox.put(tx, result))
		}
		return errors.Join(tx.Put(kindIntegration, id, form.Document(i)), is.outbox.put(tx, result))
	})
	return news, err
}

// refusal returns why a rotation cannot begin: its code, and the code of its integration if
// that is the reason. Both are empty if it can. It is called within decisions.
func (is *integrations) refusal(want intent) (code, integrationCode string) {
	if err := is.bound(want.bound); err != nil {
		return adapter.CodeOf(err), ""
	}
	if i := is.byID[want.bound.IntegrationID]; i.Code != "" || !i.checked {
		return bindingCode(i.Kind, "integration_unavailable"), i.Code
	}
	if want.policy != is.node.PolicyVersion() || want.policySHA256 != is.node.PolicyDigest() {
		return policyChanged, ""
	}
	if err := is.node.CheckNames(want.bound.ProfileID, want.names); err != nil {
		return namesNotAllowed, ""
	}
	return "", ""
}

// bound checks that an integration is the one that a rotation is bound to. It is
// called within decisions.
func (is *integrations) bound(want adapter.Desired) error {
	i := is.byID[want.IntegrationID]
	if i == nil {
		return adapter.NewFault(bindingCode(want.Kind, "integration_unavailable"),
			fmt.Errorf("integration %s is not assigned to this node", want.IntegrationID))
	}
	return contradiction(want, i.Desired)
}

// entries are the adapters in integrations of /healthz.
func (is *integrations) entries() []seal.Object {
	var entries []seal.Object
	assigned := false
	for _, id := range slices.Sorted(maps.Keys(is.byID)) {
		i := is.byID[id]
		if i.Enabled {
			assigned = assigned || i.Kind == adapter.SecretStore
			entries = append(entries, entry(i.Kind, i.checked && i.Code == "", i.Code))
		}
	}
	if is.config.Store != nil && !assigned {
		entries = append(entries, entry(adapter.SecretStore, false, adapter.AwaitsDesired))
	}
	return entries
}

// anyDegraded reports whether an integration is degraded. The caller has the lock.
func (is *integrations) anyDegraded() bool {
	for _, i := range is.byID {
		if i.Code != "" {
			return true
		}
	}
	return false
}
