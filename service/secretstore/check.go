package secretstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/svc-edge/svc-verify/harness/eventtype"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/adapter"
	"github.com/svc-edge/svc-verify/service/secretstore/record"
)

// Check ends what was interrupted, writes the first generation if there is none,
// and holds what the pointer names against what this node wrote, by metadata
// alone as long as nothing differs.
func (a *Adapter) Check(ctx context.Context, d adapter.Desired) error {
	if err := a.authority(d); err != nil {
		return err
	}
	if a.state.IntegrationID == "" {
		if err := a.keep(func(s *state) { s.IntegrationID = d.IntegrationID }); err != nil {
			return err
		}
	}
	if err := a.recover(ctx); err != nil {
		return err
	}
	if a.state.Pointer.Version == 0 {
		if err := a.bootstrap(ctx); err != nil {
			return err
		}
	}
	if err := a.pointerUnchanged(ctx); err != nil {
		return failure(ctx, adapter.PointerInvalid, err)
	}
	for _, n := range named(a.state.Pointer.Record) {
		if err := a.generationUnchanged(ctx, n.Slot); err != nil {
			return failure(ctx, adapter.StateInvalid, err)
		}
	}
	return a.lapse(ctx, d)
}

// Withdraw ends what was interrupted, and the integration's authority over the
// store. The certificate in use stays in use.
func (a *Adapter) Withdraw(ctx context.Context, d adapter.Desired) error {
	switch {
	case a.broken != nil:
		return a.broken
	case a.invalid != nil || a.state.IntegrationID != d.IntegrationID:
		return nil
	}
	if err := a.recover(ctx); err != nil {
		return err
	}
	if err := a.takeOff(ctx); err != nil {
		return err
	}
	return a.keep(func(s *state) { s.IntegrationID = "" }, Event{eventtype.StoreWithdrawn, "",
		seal.Object{"integration_id": d.IntegrationID}})
}

// lapse moves the pointer where time or the console has gone on: a rotation that
// was staged for another revision can never be promoted, and the previous slot
// is kept for the rollback window only.
func (a *Adapter) lapse(ctx context.Context, d adapter.Desired) error {
	if r := a.state.Rotation; r != nil && r.Revision != d.Revision {
		if err := a.takeOff(ctx); err != nil {
			return err
		}
	}
	until, err := seal.ParseTime(a.state.ReleaseAt)
	if a.state.ReleaseAt == "" || err == nil && a.config.Now().Before(until) {
		return nil
	}
	to := a.state.Pointer.Record
	to.Previous = record.Named{}
	if err := a.begin(moveRelease, to, func(*state) {}); err != nil {
		return err
	}
	if err := a.settle(ctx); err != nil {
		return failureOr(ctx, adapter.PointerInvalid, adapter.RecoveryPending, err)
	}
	a.tidyFiles()
	return nil
}

// takeOff takes a staged rotation off the pointer, if there is one.
func (a *Adapter) takeOff(ctx context.Context) error {
	if r := a.state.Rotation; r == nil || r.Phase != phaseStaged {
		return nil
	}
	err := a.rollBack(ctx, adapter.PromotionInterrupted)
	return failureOr(ctx, adapter.PointerInvalid, adapter.RecoveryPending, err)
}

// pointerUnchanged checks the pointer's metadata. One of another version is read,
// and taken for repaired if it is the one that this node wrote last.
func (l *location) pointerUnchanged(ctx context.Context) error {
	known := l.state.Pointer
	same, err := l.unchanged(ctx, record.PointerPath, known.Version, known.Created)
	if same || err != nil {
		return err
	}
	found, metadata, err := l.readPointer(ctx)
	switch {
	case err != nil:
		return err
	case found != known.Record:
		return fmt.Errorf("the pointer at version %d: %w", metadata.Version, errForeign)
	}
	return l.keep(func(s *state) {
		s.Pointer.Version, s.Pointer.Created = metadata.Version, metadata.Created
	}, repaired(record.PointerPath, metadata))
}

// generationUnchanged is [location.pointerUnchanged] for a generation.
func (l *location) generationUnchanged(ctx context.Context, slot int64) error {
	known, path := l.state.Generations[record.SlotName(slot)], record.GenerationPath(slot)
	same, err := l.unchanged(ctx, path, known.Version, known.Created)
	if same || err != nil {
		return err
	}
	digest, metadata, err := l.readGeneration(ctx, slot)
	switch {
	case err != nil && !errors.Is(err, ErrAbsent):
		return err
	case err != nil || digest != known.Digest:
		return fmt.Errorf("%s at version %d: %w", record.SlotName(slot), metadata.Version, errForeign)
	}
	return l.keep(func(s *state) {
		known.Version, known.Created = metadata.Version, metadata.Created
		s.Generations[record.SlotName(slot)] = known
	}, repaired(path, metadata))
}

// unchanged reports whether a record has the version and the creation time that
// this node knows.
func (l *location) unchanged(ctx context.Context, path string, version int64, created string) (bool, error) {
	metadata, err := l.config.Store.Metadata(ctx, path)
	if errors.Is(err, ErrAbsent) {
		return false, nil
	}
	return err == nil && metadata == Metadata{Version: version, Created: created}, err
}

func repaired(path string, metadata Metadata) Event {
	return Event{eventtype.StoreRepaired, "", seal.Object{"path": path, "version": metadata.Version}}
}
