package agent

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/service/adapter"
	"github.com/svc-edge/svc-verify/service/durable"
	"github.com/svc-edge/svc-verify/service/nodeconfig"
)

// asked is an adapter that records its calls, and may fail to withdraw.
type asked struct {
	calls []string
	fails error
}

func (a *asked) note(call, id string) error {
	a.calls = append(a.calls, call+" "+id)
	return nil
}

func (a *asked) Check(_ context.Context, d adapter.Desired) error {
	return a.note("check", d.IntegrationID)
}

func (a *asked) Withdraw(_ context.Context, d adapter.Desired) error {
	return errors.Join(a.note("withdraw", d.IntegrationID), a.fails)
}

func (a *asked) Stage(_ context.Context, d adapter.Delivery) error {
	return a.note("stage", d.IntegrationID)
}

func (a *asked) Promote(_ context.Context, d adapter.Delivery) error {
	return a.note("promote", d.IntegrationID)
}

// gate are the adapters of a node with settings of a store and a policy.
func gate(t *testing.T, policy int64) (*adapters, *asked) {
	t.Helper()
	a, store := judging(t), &asked{}
	a.config.Store = &nodeconfig.SecretStore{AdapterReference: "local/main", ProfileID: "p"}
	must.Do(t, a.update(func(*durable.Tx) error { return a.node.SyncPolicy(seal.Object{"version": policy}) }))
	a.adapters.byKind = map[string]adapter.Adapter{adapter.SecretStore: store}
	return &a.adapters, store
}

func wants(id string) adapter.Desired {
	return adapter.Desired{IntegrationID: id, Kind: adapter.SecretStore, AdapterReference: "local/main", ProfileID: "p",
		Revision: 1, Enabled: true}
}

// Before the policy allows the store, and where console and node mean another
// one, the adapter is asked nothing.
func TestGateRefusesWithoutContact(t *testing.T) {
	for name, c := range map[string]struct {
		policy int64
		change func(*adapter.Desired)
		want   string
	}{
		"an old policy":     {2, func(*adapter.Desired) {}, adapter.StoreNotAllowed},
		"another reference": {3, func(d *adapter.Desired) { d.AdapterReference = "local/other" }, adapter.ReferenceInvalid},
		"another profile":   {3, func(d *adapter.Desired) { d.ProfileID = "other" }, adapter.ProfileNotMapped},
		"none of these":     {3, func(*adapter.Desired) {}, ""},
	} {
		g, store := gate(t, c.policy)
		d := wants("a")
		c.change(&d)
		ctx, delivery := context.Background(), adapter.Delivery{Desired: d}
		for call, err := range map[string]error{"check": g.operate(ctx, d), "stage": g.carry(ctx, "deliver", delivery),
			"promote": g.carry(ctx, "promote", delivery)} {
			check.Equal(t, adapter.CodeOf(err), c.want, "%s: %s: %v", name, call, err)
		}
		d.Enabled = false
		must.Do(t, g.operate(ctx, d))
		other := func(call string) bool { return call != "withdraw a" }
		check.Equal(t, slices.ContainsFunc(store.calls, other), c.want == "", "%s: the adapter was asked %q", name,
			store.calls)
	}
	g, _ := gate(t, 3)
	g.config.Store, g.byKind = nil, nil
	err := g.operate(context.Background(), wants("a"))
	check.That(t, adapter.CodeOf(err) == adapter.NotConfigured, "without settings: %v", err)
}

// An integration that had the store and now means another one is withdrawn: its unfinished
// work must not stay.
func TestGateWithdrawsWhatIsMeantNoMore(t *testing.T) {
	ctx := context.Background()
	for _, change := range []func(*adapter.Desired){
		func(d *adapter.Desired) { d.AdapterReference = "local/other" }, func(d *adapter.Desired) { d.ProfileID = "other" },
	} {
		g, store := gate(t, 3)
		d := wants("a")
		must.Do(t, g.operate(ctx, d))
		change(&d)
		store.fails = errors.New("away")
		for range 2 {
			check.That(t, g.operate(ctx, d) != nil, "it is not refused")
			store.fails = nil
		}
		err, want := g.operate(ctx, d), []string{"check a", "withdraw a", "withdraw a", "withdraw a"}
		if err == nil || !slices.Equal(store.calls, want) {
			t.Errorf("%v, the adapter was asked %q", err, store.calls)
		}
		must.Do(t, g.operate(ctx, wants("b")))
	}
}

// A node that has no settings any more lets go of the store.
func TestGateWithoutSettings(t *testing.T) {
	ctx := context.Background()
	g, store := gate(t, 3)
	must.Do(t, g.operate(ctx, wants("a")))
	g.config.Store, g.byKind = nil, nil
	off := wants("a")
	off.Enabled = false
	must.Do(t, g.operate(ctx, off))
	check.That(t, len(store.calls) == 1, "the adapter was asked %q", store.calls)
}

// Nothing begins after the context has ended, and one thing at a time.
func TestLaunch(t *testing.T) {
	a := judging(t)
	a.wake = make(chan struct{}, 1)
	ctx, cancel := context.WithCancel(context.Background())
	block := make(chan struct{})
	work := func(context.Context) bool { <-block; return true }
	first := a.operations.launch(ctx, "web", nil, work)
	other := a.operations.launch(ctx, "other", nil, work)
	check.That(t, first != nil && other != nil && a.operations.launch(ctx, "web", nil, work) == nil,
		"one operation for each integration")
	close(block)
	<-first.ended
	<-a.wake
	check.That(t, a.operations.launch(ctx, "web", nil, work) != nil, "after its end none begins")
	cancel()
	a.operations.all.Wait()
	check.That(t, a.operations.launch(ctx, "web", nil, work) == nil, "one began after the node's end")
}
