package agent

import (
	"context"
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
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
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
