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

// Stage writes a delivery as the next generation, and has the pointer name it as
// standby. A delivery that fails is taken off the pointer again, and stays
// failed.
func (a *Adapter) Stage(ctx context.Context, d adapter.Delivery) error {
	if err := a.ready(ctx, d.Desired); err != nil {
		return err
	}
	p := pair{d.TransactionID, d.Revision, d.Certificates, d.Key}
	if r := a.state.Rotation; r == nil || r.TransactionID != d.TransactionID {
		if a.state.NextSlot > record.MaxSlot {
			return adapter.NewFault(adapter.StateInvalid, fmt.Errorf("all %d slots are used up", record.MaxSlot))
		}
		if err := a.choose(p, eventtype.RotationWriteStarted); err != nil {
			return adapter.NewFault(adapter.DeliveryInvalid, err)
		}
	}
	if a.state.Rotation.Phase == phaseWriting {
		if err := a.write(ctx, p); err != nil {
			return failure(ctx, adapter.StateInvalid, err)
		}
	}
	if a.state.Rotation.Phase == phaseWritten {
		if err := a.stage(ctx); err != nil {
			return a.fail(ctx, failure(ctx, adapter.PointerInvalid, err))
		}
	}
	return a.outcome()
}

// ready makes sure that a delivery can begin: the store was taken over, and
// nothing is in doubt.
func (a *Adapter) ready(ctx context.Context, d adapter.Desired) error {
	if err := a.authority(d); err != nil {
		return err
	}
	if a.state.IntegrationID == "" || a.state.Pointer.Version == 0 {
		return adapter.NewFault(adapter.BootstrapFailed, errors.New("the store was not taken over yet"))
	}
	return a.recover(ctx)
}

// authority checks that the state can be read, and is not another integration's.
func (a *Adapter) authority(d adapter.Desired) error {
	switch {
	case a.broken != nil:
		return a.broken
	case a.invalid != nil:
		return adapter.NewFault(adapter.StateInvalid, fmt.Errorf("the node's own state: %w", a.invalid))
	case a.state.IntegrationID != d.IntegrationID && a.state.IntegrationID != "":
		return adapter.NewFault(adapter.ReferenceInvalid, fmt.Errorf("the store is that of integration %s",
			a.state.IntegrationID))
	}
	return nil
}

// stage has the pointer name the rotation's generation as standby.
func (a *Adapter) stage(ctx context.Context) error {
	r := a.state.Rotation
	to := a.state.Pointer.Record
	to.Standby = record.Named{Slot: r.Slot, SHA256: r.SHA256}
	err := a.begin(moveStage, to, func(s *state) {
		s.Rotation.Before, s.Rotation.Target = s.Pointer.Record, s.Move.To
	}, Event{eventtype.RotationStagingStarted, r.TransactionID, seal.Object{"slot": record.SlotName(r.Slot)}})
	if err != nil {
		return err
	}
	return a.settle(ctx)
}

// outcome is what became of the rotation, as far as it is known: an error if it
// failed.
func (a *Adapter) outcome() error {
	if r := a.state.Rotation; r.Phase == phaseFailed {
		return adapter.NewFault(r.Code, fmt.Errorf("the rotation of %s was taken back", record.SlotName(r.Slot)))
	}
	return nil
}
