package secretstore

import (
	"context"
	"errors"

	"github.com/svc-edge/svc-verify/service/adapter"
	"github.com/svc-edge/svc-verify/service/secretstore/record"
)

// bootstrap writes the bootstrap pair as the first generation, and the first
// pointer. It never continues from what another party left there.
func (a *Adapter) bootstrap(ctx context.Context) error {
	switch _, err := a.config.Store.Metadata(ctx, record.PointerPath); {
	case err == nil:
		return adapter.NewFault(adapter.BootstrapFailed, errors.New("there is a pointer that this node did not write"))
	case !errors.Is(err, ErrAbsent):
		return failure(ctx, adapter.StoreUnavailable, err)
	}
	err := a.firstGeneration(ctx)
	return failureOr(ctx, adapter.BootstrapFailed, a.pending(err), err)
}

func (a *Adapter) firstGeneration(ctx context.Context) error {
	p := pair{key: a.config.Settings.Bootstrap.Key}
	for _, c := range a.config.Settings.Bootstrap.Chain {
		p.chain = append(p.chain, c.Raw)
	}
	if r := a.state.Rotation; r == nil || !a.isFor(p) {
		if err := a.choose(p, "store.bootstrap_started"); err != nil {
			return adapter.NewFault(adapter.BootstrapFailed, err)
		}
	}
	if a.state.Rotation.Phase == phaseWriting {
		if err := a.write(ctx, p); err != nil {
			return err
		}
	}
	r := a.state.Rotation
	if err := a.writeFile(r.Slot, p.chain); err != nil {
		return adapter.NewFault(adapter.Unavailable, err)
	}
	first := record.Pointer{Active: record.Named{Slot: r.Slot, SHA256: r.SHA256}}
	if err := a.begin(moveBootstrap, first, func(*state) {}); err != nil {
		return err
	}
	return a.settle(ctx)
}

// isFor reports whether the rotation under way was begun with this pair. The
// configuration may name another one since.
func (a *Adapter) isFor(p pair) bool {
	r := a.state.Rotation
	g, err := record.NewGeneration(r.Slot, p.chain, p.key, r.CreatedAt)
	return err == nil && g.Digest() == r.Digest
}
