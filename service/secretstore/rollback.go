package secretstore

import (
	"context"
	"errors"

	"github.com/svc-edge/svc-verify/harness/eventtype"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/adapter"
	"github.com/svc-edge/svc-verify/service/secretstore/record"
)

// fail takes a rotation back that failed with an error, and returns that error.
// A context that has ended is no failure: what it interrupted is for the next
// check. What cannot be taken back now stays in doubt until a check can.
func (a *Adapter) fail(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil || a.broken != nil {
		return err
	}
	if undone := a.rollBack(ctx, adapter.CodeOf(err)); undone != nil {
		a.config.Log.Warn("a rotation is not taken back yet", "error", undone.Error())
	}
	return err
}

// rollBack puts the pointer back to what it was before the rotation, and has the
// workload take up the old certificate if it may know the new one. The pointer is
// written in any case: its version grows, so that a request of the promotion
// that is still on its way fails.
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
			// The pointer is what counts: the workload finds the old certificate
			// when it reads again.
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

// recover ends what was interrupted: a promotion that was not committed is taken
// back, everything else is completed.
func (a *Adapter) recover(ctx context.Context) error {
	if a.state.Pointer.Version == 0 && a.state.Move != nil {
		// A refusal is the bootstrap's failure only if the store can be used.
		if _, err := a.config.Store.Metadata(ctx, record.PointerPath); err != nil && !errors.Is(err, ErrAbsent) {
			return failure(ctx, adapter.StoreUnavailable, err)
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
