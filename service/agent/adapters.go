package agent

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/adapter"
	"github.com/svc-edge/svc-verify/service/durable"
	"github.com/svc-edge/svc-verify/service/httpd"
	"github.com/svc-edge/svc-verify/service/nginx"
	"github.com/svc-edge/svc-verify/service/secretstore"
)

// adapters operate the integrations of this node.
type adapters struct {
	*core
	byKind map[string]adapter.Adapter
}

// open makes the adapters of this node's integrations, by kind.
func (as *adapters) open() error {
	as.byKind = map[string]adapter.Adapter{
		adapter.Nginx: nginx.New(filepath.Join(as.config.StateDirectory.Path, "managed", adapter.Nginx)),
	}
	settings := as.config.Store
	if settings == nil {
		return nil
	}
	store, err := secretstore.New(secretstore.Config{
		Settings: settings, Store: secretstore.NewClient(settings), Workload: secretstore.NewWorkload(settings),
		Journal: storeJournal{as.core, secretstore.Location(settings)},
		Now:     func() time.Time { return time.Now().UTC() }, Log: as.log,
		Wait: func(ctx context.Context, d time.Duration) error { return httpd.Pause(ctx, d, nil) },
	})
	if err != nil {
		return err
	}
	as.byKind[adapter.SecretStore] = store
	return nil
}

// storeJournal keeps the state of the secret-store adapter at one location, and
// journals its events.
type storeJournal struct {
	*core
	location string
}

// Load returns the state that was kept last, nil if there is none.
func (j storeJournal) Load() (seal.Object, error) {
	return j.store.Get(kindStore, j.location)
}

// Keep makes state and events durable in one decision.
func (j storeJournal) Keep(state seal.Object, events ...secretstore.Event) error {
	return j.update(func(tx *durable.Tx) error {
		for _, e := range events {
			j.node.Note(e.Type, e.TransactionID, e.Data)
		}
		return tx.Put(kindStore, j.location, state)
	})
}

// of returns the adapter of integrations of a kind, nil if there is none.
func (as *adapters) of(kind string) adapter.Adapter {
	if kind == adapter.SecretStore {
		return storeGate{as}
	}
	return as.byKind[kind]
}

// bindingCode returns a code of a rotation that contradicts its integration; the codes of the
// secret store have a name of their own.
func bindingCode(kind, code string) string {
	if kind == adapter.SecretStore {
		return "secret_store_" + code
	}
	return code
}

// storeGate checks the desired state of a secret-store integration against the
// node's own settings and the policy, before the adapter does anything. The adapter
// lets one integration at a time have the store.
type storeGate struct{ *adapters }

// store is the adapter behind the gate, nil if the node has no settings of one.
func (g storeGate) store() adapter.Adapter { return g.byKind[adapter.SecretStore] }

// Check also withdraws the store from an integration that no longer means it: the adapter has
// to end its unfinished work.
func (g storeGate) Check(ctx context.Context, d adapter.Desired) error {
	if refused := g.refusal(d); refused != nil {
		if err := g.Withdraw(ctx, d); err != nil {
			g.log.Warn("the secret store is not withdrawn yet", "integration_id", d.IntegrationID, "error", err.Error())
		}
		return refused
	}
	return g.store().Check(ctx, d)
}

// refusal checks that console and node mean the same store, and that the policy
// in force lets it be used.
func (g storeGate) refusal(d adapter.Desired) error {
	settings := g.config.Store
	g.mu.Lock()
	policy := g.node.PolicyVersion()
	g.mu.Unlock()
	switch {
	case settings == nil || g.store() == nil:
		return adapter.NewFault(adapter.NotConfigured, errors.New("the node has no settings of a secret store"))
	case d.AdapterReference != settings.AdapterReference:
		return adapter.NewFault(adapter.ReferenceInvalid, fmt.Errorf("the node's adapter is %q, the console's %q",
			settings.AdapterReference, d.AdapterReference))
	case d.ProfileID != settings.ProfileID:
		return adapter.NewFault(adapter.ProfileNotMapped, fmt.Errorf("the node's profile is %q, the console's %q",
			settings.ProfileID, d.ProfileID))
	case policy < adapter.StorePolicy:
		return adapter.NewFault(adapter.StoreNotAllowed,
			fmt.Errorf("the policy in force is version %d, and the secret store needs version %d", policy,
				adapter.StorePolicy))
	}
	return nil
}

// Withdraw lets the adapter withdraw the integration, which has nothing to be withdrawn
// where the node has no settings.
func (g storeGate) Withdraw(ctx context.Context, d adapter.Desired) error {
	if g.store() == nil {
		return nil
	}
	return g.store().Withdraw(ctx, d)
}

func (g storeGate) Stage(ctx context.Context, d adapter.Delivery) error {
	if err := g.refusal(d.Desired); err != nil {
		return err
	}
	return g.store().Stage(ctx, d)
}

func (g storeGate) Promote(ctx context.Context, d adapter.Delivery) error {
	if err := g.refusal(d.Desired); err != nil {
		return err
	}
	return g.store().Promote(ctx, d)
}
