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
	"github.com/svc-edge/svc-verify/service/nginx"
	"github.com/svc-edge/svc-verify/service/secretstore"
)

// Kinds of integrations that a node operates.
const (
	kindNginx       = "nginx"
	kindSecretStore = "secret_store"
)

// adapters operate the integrations of this node.
type adapters struct {
	*core
	byKind map[string]adapter.Adapter
	holder string // the integration that has the secret store, empty if none
}

func (as *adapters) restore() error {
	holder, err := as.store.Get(kindHolder, only)
	as.holder = seal.Text(holder, "integration_id")
	return err
}

// open makes what operates the integrations of this node, by kind.
func (as *adapters) open() error {
	as.byKind = map[string]adapter.Adapter{
		kindNginx: nginx.New(filepath.Join(as.config.StateDirectory.Path, "managed", kindNginx)),
	}
	settings := as.config.Store
	if settings == nil {
		return nil
	}
	store, err := secretstore.New(secretstore.Config{
		Settings: settings, Store: secretstore.NewClient(settings), Workload: secretstore.NewWorkload(settings),
		Journal: storeJournal{as.core, secretstore.Location(settings)},
		Now:     func() time.Time { return time.Now().UTC() }, Wait: pause, Log: as.log,
	})
	if err != nil {
		return err
	}
	as.byKind[kindSecretStore] = store
	return nil
}

// pause waits for a time, unless the context ends before.
func pause(ctx context.Context, d time.Duration) error {
	waitUntil(ctx, d, nil)
	return context.Cause(ctx)
}

// waitUntil waits for a time, until it is woken, or until the context ends.
func waitUntil(ctx context.Context, d time.Duration, wake <-chan struct{}) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-wake:
	case <-ctx.Done():
	}
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

// of is what operates integrations of a kind, nil if nothing does.
func (as *adapters) of(kind string) adapter.Adapter {
	if kind == kindSecretStore {
		return storeGate{as}
	}
	return as.byKind[kind]
}

// bindingCode is a code of a rotation that contradicts its integration; those of
// the secret store have a name of their own.
func bindingCode(kind, code string) string {
	if kind == kindSecretStore {
		return "secret_store_" + code
	}
	return code
}

// storePolicy is the oldest policy version that lets the secret store be used.
const storePolicy = 3

// storeGate checks the desired state of a secret-store integration against the
// node's own settings and the policy, before the adapter does anything.
// It lets one integration at a time have the store, the
// holder, until the adapter has withdrawn it.
type storeGate struct{ *adapters }

// store is the adapter behind the gate, nil if the node has no settings of one.
func (g storeGate) store() adapter.Adapter { return g.byKind[kindSecretStore] }

// Check also takes the store from an integration that no longer means it: the
// adapter has to end what it was in the middle of.
func (g storeGate) Check(ctx context.Context, d adapter.Desired) error {
	if refused := g.refusal(d); refused != nil {
		if err := g.Withdraw(ctx, d); err != nil {
			g.log.Warn("the secret store is not withdrawn yet", "integration_id", d.IntegrationID, "error", err.Error())
		}
		return refused
	}
	if err := g.claim(d.IntegrationID); err != nil {
		return err
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
	case policy < storePolicy:
		return adapter.NewFault(adapter.StoreNotAllowed,
			fmt.Errorf("the policy in force is version %d, and the secret store needs version %d", policy, storePolicy))
	}
	return nil
}

// claim makes an integration the holder of the store, if there is no other one.
func (g storeGate) claim(id string) error {
	return g.update(func(tx *durable.Tx) error {
		switch g.holder {
		case id:
			return nil
		case "":
			g.holder = id
			return tx.Put(kindHolder, only, seal.Object{"integration_id": id})
		}
		return refuse(adapter.NewFault(adapter.ReferenceInvalid,
			fmt.Errorf("integration %s has the node's secret store", g.holder)))
	})
}

// holds reports whether an integration has the store.
func (g storeGate) holds(id string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.holder == id
}

// Withdraw lets the adapter withdraw the integration that has the store, and
// gives the store back. Any other one has nothing to be withdrawn.
func (g storeGate) Withdraw(ctx context.Context, d adapter.Desired) error {
	if !g.holds(d.IntegrationID) {
		return nil
	}
	if g.store() != nil {
		if err := g.store().Withdraw(ctx, d); err != nil {
			return err
		}
	}
	return g.update(func(tx *durable.Tx) error {
		g.holder = ""
		return tx.Delete(kindHolder, only)
	})
}

func (g storeGate) Stage(ctx context.Context, d adapter.Delivery) error {
	if err := g.admit(d.Desired); err != nil {
		return err
	}
	return g.store().Stage(ctx, d)
}

func (g storeGate) Promote(ctx context.Context, d adapter.Delivery) error {
	if err := g.admit(d.Desired); err != nil {
		return err
	}
	return g.store().Promote(ctx, d)
}

// admit lets through the deliveries of the holder.
func (g storeGate) admit(d adapter.Desired) error {
	if err := g.refusal(d); err != nil {
		return err
	}
	if !g.holds(d.IntegrationID) {
		return adapter.NewFault(adapter.ReferenceInvalid,
			fmt.Errorf("integration %s does not have the node's secret store", d.IntegrationID))
	}
	return nil
}
