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

// How often a write with an unknown outcome is tried in one go. More
// may be needed later, at the next check.
const attempts = 3

// errForeign is returned where the store holds records that this node did not write.
var errForeign = errors.New("it is not what this node wrote")

// begin makes a move of the pointer durable before it is done. The pointer from
// before is that which the node wrote last.
func (l *location) begin(purpose string, to record.Pointer, change func(*state), events ...Event) error {
	return l.keep(func(s *state) {
		to.UpdatedAt = s.next(l.config.Now())
		s.Move = &move{Purpose: purpose, To: to, CAS: s.Pointer.Version}
		change(s)
	}, events...)
}

// settle carries out the move that was begun, or finds that it was carried out
// before. It may be called again after any error: the same record is written
// until it is there. A request that is still on its way can only write the same,
// or fails, as the version has grown by then.
func (l *location) settle(ctx context.Context) error {
	var last error
	for range attempts {
		version, ended, err := l.attempt(ctx)
		if ended {
			return err
		}
		last = err
		if version != l.state.Move.CAS {
			if err := l.keep(func(s *state) { s.Move.CAS = version }); err != nil {
				return err
			}
		}
	}
	return errors.Join(errors.New("the pointer could not be moved"), last)
}

// attempt tries the move that was begun once. Unless it ended, by the move or by an
// error, the pointer is still the one from before, at that version. A promotion is
// tried once, so that only its own write can have carried it out.
func (l *location) attempt(ctx context.Context) (version int64, ended bool, err error) {
	m := *l.state.Move
	metadata, err := l.config.Store.Write(ctx, record.PointerPath, m.CAS, m.To.Object())
	if err == nil && metadata.Version == m.CAS+1 {
		return 0, true, l.moved(metadata)
	}
	lost := errors.Join(err, ctx.Err())
	found, metadata, err := l.readPointer(ctx)
	switch {
	case err != nil:
		return 0, true, errors.Join(lost, err)
	case found == m.To && (metadata.Version == m.CAS+1 || m.Purpose != movePromote && metadata.Version > m.CAS):
		return 0, true, l.moved(metadata) // an answer was lost
	case !l.state.expects(found, metadata):
		return 0, true, errors.Join(fmt.Errorf("the pointer at version %d: %w", metadata.Version, errForeign), lost)
	}
	return metadata.Version, false, lost
}

// expects reports whether a pointer may be there while a move is in doubt: the
// one from before, and while it is being put back, the one of the promotion.
func (s state) expects(found record.Pointer, metadata Metadata) bool {
	switch {
	case metadata.Deleted:
		return false
	case metadata.Version == 0:
		return s.Pointer.Version == 0
	case s.Pointer.Version > 0 && found == s.Pointer.Record:
		return true
	}
	return s.Move.Purpose == moveRestore && (found == s.Rotation.Before || found == s.Rotation.Target ||
		found == s.Move.To)
}

// readPointer reads the pointer. Without one the version is 0; one that is not
// of the form of a pointer is foreign.
func (l *location) readPointer(ctx context.Context) (record.Pointer, Metadata, error) {
	o, metadata, err := l.config.Store.Read(ctx, record.PointerPath)
	switch {
	case errors.Is(err, ErrAbsent):
		return record.Pointer{}, Metadata{}, nil
	case err != nil:
		return record.Pointer{}, Metadata{}, err
	case metadata.Deleted:
		return record.Pointer{}, metadata, nil
	}
	p, err := record.ParsePointer(o)
	if err != nil {
		return record.Pointer{}, metadata, fmt.Errorf("the pointer at version %d: %w: %w", metadata.Version, errForeign,
			err)
	}
	return p, metadata, nil
}

// moved records that the move was carried out, and its consequences.
func (l *location) moved(metadata Metadata) error {
	m := *l.state.Move
	var events []Event
	r := l.state.Rotation
	data := seal.Object{"active": record.SlotName(m.To.Active.Slot), "active_sha256": m.To.Active.SHA256,
		"pointer_version": metadata.Version}
	switch m.Purpose {
	case moveBootstrap:
		events = []Event{{eventtype.StoreBootstrapped, "", data}}
	case movePromote:
		events = []Event{{eventtype.RotationPointerMoved, r.TransactionID, data}}
	case moveRelease:
		data["released"] = record.SlotName(l.state.Pointer.Record.Previous.Slot)
		events = []Event{{eventtype.RotationReleased, "", data}}
	}
	return l.keep(func(s *state) {
		s.Pointer, s.Move = placedPointer{m.To, metadata.Version, metadata.Created}, nil
		switch m.Purpose {
		case moveBootstrap:
			s.Rotation.Phase = phasePromoted
		case moveStage:
			s.Rotation.Phase = phaseStaged
		case movePromote:
			s.Rotation.Phase = phaseMoved
		case moveRestore:
			s.Rotation.Phase = phaseReverting
		case moveRelease:
			s.ReleaseAt = ""
		}
		s.forget()
	}, events...)
}

// fail reverts a rotation that failed with an error, and returns that error. A context that
// has ended is no failure: the interrupted work is for the next check. A rotation that cannot
// be reverted now stays in doubt until a check can revert it.
func (a *Adapter) fail(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil || a.broken != nil {
		return err
	}
	if undone := a.rollBack(ctx, adapter.CodeOf(err)); undone != nil {
		a.config.Log.Warn("a rotation is not taken back yet", "error", undone.Error())
	}
	return err
}

// rollBack puts the pointer back to its value before the rotation, and has the workload use
// the old certificate again if it may know the new one. The pointer is written in any case:
// its version grows, so that a request of the promotion that is still on its way fails.
func (a *Adapter) rollBack(ctx context.Context, code string) error {
	r := a.state.Rotation
	back := a.state.Pointer.Record
	if r.Phase == phaseMoved {
		back = r.Before
	}
	back.Standby = record.Named{}
	err := a.begin(moveRestore, back, func(s *state) {
		s.Rotation.Phase, s.Rotation.Code = phaseRestoring, code
	}, Event{eventtype.RotationRollbackStarted, r.TransactionID, seal.Object{"slot": record.SlotName(r.Slot),
		"error_code": code}})
	if err != nil {
		return err
	}
	if err := a.settle(ctx); err != nil {
		return err
	}
	return a.revert(ctx)
}

// revert ends a rollback after the pointer was restored.
func (a *Adapter) revert(ctx context.Context) error {
	r, slot := a.state.Rotation, a.state.Pointer.Record.Active.Slot
	data := seal.Object{"slot": record.SlotName(r.Slot), "active": record.SlotName(slot),
		"pointer_version": a.state.Pointer.Version, "error_code": r.Code}
	if r.Moved && a.config.Settings.Reload != nil {
		data["reloaded"] = true
		if err := a.config.Workload.Reload(ctx, a.file(slot)); err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			// Only the pointer counts: the workload finds the old certificate when it reads
			// again.
			a.config.Log.Warn("the reload after a rollback failed", "error", err.Error())
			data["reloaded"] = false
		}
	}
	err := a.keep(func(s *state) {
		s.Rotation.Phase = phaseFailed
		s.Rotation.Before, s.Rotation.Target = record.Pointer{}, record.Pointer{}
		s.forget()
	}, Event{eventtype.RotationRolledBack, r.TransactionID, data})
	if err != nil {
		return err
	}
	a.tidyFiles()
	return nil
}

// recover ends interrupted work: a promotion that was not committed is taken back, everything
// else is completed.
func (a *Adapter) recover(ctx context.Context) error {
	if a.state.Pointer.Version == 0 && a.state.Move != nil {
		// A refusal is the bootstrap's failure only if the store can be used.
		if _, err := a.config.Store.Metadata(ctx, record.PointerPath); err != nil && !errors.Is(err, ErrAbsent) {
			return faultOf(ctx, adapter.StoreUnavailable, err)
		}
	}
	err := a.resolve(ctx)
	foreign := adapter.PointerInvalid
	if a.state.Pointer.Version == 0 {
		foreign = adapter.BootstrapFailed
	}
	return failureOr(ctx, foreign, a.pending(err), err)
}

// pending is the code of an interrupted transition that cannot be ended yet.
func (a *Adapter) pending(err error) string {
	var refused *RefusedError
	switch {
	case a.state.Pointer.Version > 0:
		return adapter.RecoveryPending
	case errors.As(err, &refused) && refused.Status/100 == 4:
		return adapter.BootstrapFailed
	}
	return adapter.StoreUnavailable
}

func (a *Adapter) resolve(ctx context.Context) error {
	phase := ""
	if a.state.Rotation != nil {
		phase = a.state.Rotation.Phase
	}
	switch m := a.state.Move; {
	case phase == phasePromoting || phase == phaseMoved:
		return a.rollBack(ctx, adapter.PromotionInterrupted)
	case m != nil:
		if err := a.settle(ctx); err != nil || m.Purpose != moveRestore {
			return err
		}
		return a.revert(ctx)
	case phase == phaseReverting:
		return a.revert(ctx)
	}
	return nil
}
