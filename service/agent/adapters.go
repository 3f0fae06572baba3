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

// bindingCode returns a code of a rotation that contradicts its integration; the codes of the
// secret store have a name of their own.
func bindingCode(kind, code string) string {
	if kind == adapter.SecretStore {
		return "secret_store_" + code
	}
	return code
}

// operate has the adapter take over a desired state, or withdraw it. A refused state is
// withdrawn too: the adapter has to end its unfinished work. Without an adapter there is nothing
// to be withdrawn.
func (as *adapters) operate(ctx context.Context, d adapter.Desired) error {
	by, refused := as.byKind[d.Kind], as.refusal(d)
	switch {
	case by == nil && !d.Enabled:
		return nil
	case by == nil:
		return refused
	case !d.Enabled:
		return by.Withdraw(ctx, d)
	case refused == nil:
		return by.Check(ctx, d)
	}
	if err := by.Withdraw(ctx, d); err != nil {
		as.log.Warn("the secret store is not withdrawn yet", "integration_id", d.IntegrationID, "error", err.Error())
	}
	return refused
}

// carry has the adapter do work on a delivery.
func (as *adapters) carry(ctx context.Context, kind string, d adapter.Delivery) error {
	if err := as.refusal(d.Desired); err != nil {
		return err
	}
	if kind == "deliver" {
		return as.byKind[d.Kind].Stage(ctx, d)
	}
	return as.byKind[d.Kind].Promote(ctx, d)
}

// refusal checks that the node has an adapter for a desired state. Where that is the secret
// store, console and node must mean the same one, and the policy in force let it be used; the
// adapter lets one integration at a time have it.
func (as *adapters) refusal(d adapter.Desired) error {
	if d.Kind != adapter.SecretStore {
		if as.byKind[d.Kind] == nil {
			return adapter.NewFault(adapter.Unavailable, fmt.Errorf("this node has no adapter of kind %q", d.Kind))
		}
		return nil
	}
	settings := as.config.Store
	as.mu.Lock()
	policy := as.node.PolicyVersion()
	as.mu.Unlock()
	switch {
	case settings == nil:
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
