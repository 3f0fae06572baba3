package secretstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/svc-edge/svc-verify/harness/eventtype"
	"github.com/svc-edge/svc-verify/harness/pki"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/adapter"
	"github.com/svc-edge/svc-verify/service/secretstore/record"
)

// Check ends interrupted work, writes the first generation if there is none, and compares the
// generations that the pointer names with the ones that this node wrote, by metadata alone as
// long as nothing differs.
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
		return faultOf(ctx, adapter.PointerInvalid, err)
	}
	for _, n := range namedBy(a.state.Pointer.Record) {
		if err := a.generationUnchanged(ctx, n.Slot); err != nil {
			return faultOf(ctx, adapter.StateInvalid, err)
		}
	}
	return a.lapse(ctx, d)
}

// Withdraw ends interrupted work, and the integration's authority over the store. The
// certificate in use stays in use.
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
	if err := a.removeStaged(ctx); err != nil {
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
		if err := a.removeStaged(ctx); err != nil {
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

// removeStaged removes a staged rotation from the pointer, if there is one.
func (a *Adapter) removeStaged(ctx context.Context) error {
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
	}, repairedEvent(record.PointerPath, metadata))
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
	}, repairedEvent(path, metadata))
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

func repairedEvent(path string, metadata Metadata) Event {
	return Event{eventtype.StoreRepaired, "", seal.Object{"path": path, "version": metadata.Version}}
}

// bootstrap writes the bootstrap pair as the first generation, and the first pointer. It never
// continues from records that another party left there.
func (a *Adapter) bootstrap(ctx context.Context) error {
	switch _, err := a.config.Store.Metadata(ctx, record.PointerPath); {
	case err == nil:
		return adapter.NewFault(adapter.BootstrapFailed, errors.New("there is a pointer that this node did not write"))
	case !errors.Is(err, ErrAbsent):
		return faultOf(ctx, adapter.StoreUnavailable, err)
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

// file is where the certificates of a slot stand, for the reload program.
func (l *location) file(slot int64) string {
	return filepath.Join(l.config.Settings.ManagedDirectory.Path, record.SlotName(slot)+".pem")
}

// writeFile writes a slot's certificates. The key stays in the store.
func (l *location) writeFile(slot int64, chain [][]byte) error {
	return pki.WriteSecret(l.file(slot), pki.ChainPEM(chain))
}

// tidyFiles removes the files of slots that the pointer does not name. One that
// cannot be removed does no harm.
func (l *location) tidyFiles() {
	entries, err := os.ReadDir(l.config.Settings.ManagedDirectory.Path)
	if err != nil {
		return
	}
	keep := map[int64]bool{}
	for _, n := range namedBy(l.state.Pointer.Record) {
		keep[n.Slot] = true
	}
	for _, entry := range entries {
		slot, err := record.ParseSlotName(strings.TrimSuffix(entry.Name(), ".pem"))
		if err == nil && !keep[slot] && entry.Name() == record.SlotName(slot)+".pem" {
			_ = os.Remove(l.file(slot))
		}
	}
}
