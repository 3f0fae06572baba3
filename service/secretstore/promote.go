package secretstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/svc-edge/svc-verify/harness/eventtype"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/adapter"
	"github.com/svc-edge/svc-verify/service/secretstore/record"
)

// Promote moves the pointer to a staged delivery, and commits that once the
// health URL shows the new leaf. If anything fails the pointer is put back; if
// that cannot be done now, the next check does it.
func (a *Adapter) Promote(ctx context.Context, d adapter.Delivery) error {
	if err := a.ready(ctx, d.Desired); err != nil {
		return err
	}
	r := a.state.Rotation
	switch {
	case r == nil || r.TransactionID != d.TransactionID:
		return adapter.NewFault(adapter.PromotionInterrupted, errors.New("another rotation took its place"))
	case r.Phase == phasePromoted || r.Phase == phaseFailed:
		return a.outcome()
	case r.Phase != phaseStaged:
		return adapter.NewFault(adapter.PromotionInterrupted, fmt.Errorf("the rotation is %s, not staged", r.Phase))
	}
	return a.fail(ctx, a.promote(ctx, d))
}

// promote carries out [Adapter.Promote], as long as nothing fails.
func (a *Adapter) promote(ctx context.Context, d adapter.Delivery) error {
	slot := a.state.Rotation.Slot
	if err := a.verify(ctx, slot); err != nil {
		return faultOf(ctx, adapter.StateInvalid, err)
	}
	if err := a.writeFile(slot, d.Certificates); err != nil {
		return adapter.NewFault(adapter.Unavailable, err)
	}
	if err := a.movePointer(ctx); err != nil {
		return faultOf(ctx, adapter.PointerInvalid, err)
	}
	began := a.config.Now()
	if err := a.reload(ctx, slot); err != nil {
		return failureOr(ctx, adapter.ReloadFailed, adapter.ReloadFailed, err)
	}
	if err := a.confirm(ctx, d.Certificates[0], began); err != nil {
		return failureOr(ctx, adapter.PromotionUnconfirmed, adapter.PromotionUnconfirmed, err)
	}
	if err := a.pointerUnchanged(ctx); err != nil {
		return faultOf(ctx, adapter.PointerInvalid, err)
	}
	return a.commit()
}

// movePointer writes the promotion ahead and moves the pointer. It tries once:
// a move that may not have happened is taken back.
func (a *Adapter) movePointer(ctx context.Context) error {
	r, now := a.state.Rotation, a.state.Pointer
	to := record.Pointer{Active: record.Named{Slot: r.Slot, SHA256: r.SHA256}, Previous: now.Record.Active}
	err := a.begin(movePromote, to, func(s *state) {
		s.Rotation.Phase, s.Rotation.Moved = phasePromoting, true
		s.Rotation.Before, s.Rotation.Target = s.Pointer.Record, s.Move.To
	}, Event{eventtype.RotationPromotionStarted, r.TransactionID, seal.Object{
		"slot": record.SlotName(r.Slot), "previous": record.SlotName(now.Record.Active.Slot), "pointer_version": now.Version,
	}})
	if err != nil {
		return err
	}
	_, ended, err := a.attempt(ctx)
	if !ended {
		err = errors.Join(errors.New("the pointer did not move"), err)
	}
	return err
}

// reload has the workload take up a slot's certificate, if a program is pinned.
func (a *Adapter) reload(ctx context.Context, slot int64) error {
	if a.config.Settings.Reload == nil {
		return nil
	}
	if err := a.config.Workload.Reload(ctx, a.file(slot)); err != nil {
		return err
	}
	return a.keep(func(*state) {}, Event{eventtype.RotationReloaded, a.state.Rotation.TransactionID,
		seal.Object{"slot": record.SlotName(slot)}})
}

// The pauses between two questions to the health URL.
const (
	firstPause   = 250 * time.Millisecond
	longestPause = 10 * time.Second
)

// confirm asks the health URL until it shows the leaf, or the rollback window is over. A clock
// that was set forward ends the window sooner, one that was set back does not prolong it: the
// time that was waited counts at least.
func (a *Adapter) confirm(ctx context.Context, leaf []byte, last time.Time) error {
	window, pause := a.config.Settings.RollbackWindow, firstPause
	var elapsed time.Duration
	for {
		err := a.config.Workload.Probe(ctx, leaf)
		now := a.config.Now()
		elapsed, last = elapsed+max(0, now.Sub(last)), now
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err == nil && elapsed <= window:
			return nil
		case elapsed >= window:
			return errors.Join(fmt.Errorf("the new certificate did not show within %s", window), err)
		}
		wait := min(pause, window-elapsed)
		if err := a.config.Wait(ctx, wait); err != nil {
			return err
		}
		now = a.config.Now()
		elapsed, last = elapsed+max(wait, now.Sub(last)), now
		pause = min(2*pause, longestPause)
	}
}

// commit ends a promotion that was confirmed.
func (a *Adapter) commit() error {
	until := a.config.Now().Add(a.config.Settings.RollbackWindow)
	err := a.keep(func(s *state) {
		s.Rotation.Phase, s.ReleaseAt = phasePromoted, seal.Time(until)
		s.Rotation.Before, s.Rotation.Target = record.Pointer{}, record.Pointer{}
		s.forget()
	})
	if err != nil {
		return err
	}
	a.tidyFiles()
	return nil
}
