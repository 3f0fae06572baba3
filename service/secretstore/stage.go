package secretstore

import (
	"context"
	"crypto"
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
			return faultOf(ctx, adapter.StateInvalid, err)
		}
	}
	if a.state.Rotation.Phase == phaseWritten {
		if err := a.stage(ctx); err != nil {
			return a.fail(ctx, faultOf(ctx, adapter.PointerInvalid, err))
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

// outcome returns the outcome of the rotation, as far as it is known: an error if it failed.
func (a *Adapter) outcome() error {
	if r := a.state.Rotation; r.Phase == phaseFailed {
		return adapter.NewFault(r.Code, fmt.Errorf("the rotation of %s was taken back", record.SlotName(r.Slot)))
	}
	return nil
}

// pair is a chain with its key, and the rotation that it is for.
type pair struct {
	transactionID string
	revision      int64
	chain         [][]byte // DER, the leaf first
	key           crypto.Signer
}

// choose gives a pair the next slot. No slot is ever given twice, whatever
// became of the one before.
func (l *location) choose(p pair, event string) error {
	slot, createdAt := l.state.NextSlot, seal.Time(l.config.Now())
	g, err := record.NewGeneration(slot, p.chain, p.key, createdAt)
	if err != nil {
		return err
	}
	return l.keep(func(s *state) {
		s.NextSlot++
		s.Rotation = &rotation{
			TransactionID: p.transactionID, Revision: p.revision, Slot: slot, CreatedAt: createdAt,
			Digest: g.Digest(), SHA256: g.CertificateSHA256, Phase: phaseWriting,
		}
		s.forget()
	}, Event{event, p.transactionID, seal.Object{"slot": record.SlotName(slot),
		"certificate_sha256": g.CertificateSHA256}})
}

// write writes the generation of the rotation, which was chosen for this pair,
// and never over another. A generation that is there already is taken for this
// one if it is the same to the last byte.
func (l *location) write(ctx context.Context, p pair) error {
	r := *l.state.Rotation
	g, err := record.NewGeneration(r.Slot, p.chain, p.key, r.CreatedAt)
	if err != nil {
		return err
	}
	var last error
	for range attempts {
		metadata, err := l.config.Store.Write(ctx, record.GenerationPath(r.Slot), 0, g.Object())
		if err == nil && metadata.Version == 1 {
			return l.written(metadata)
		}
		last = errors.Join(err, ctx.Err())
		digest, metadata, err := l.readGeneration(ctx, r.Slot)
		switch {
		case errors.Is(err, ErrAbsent):
			continue
		case err != nil:
			return errors.Join(last, err)
		case digest != r.Digest || metadata.Version != 1:
			return fmt.Errorf("%s: %w", record.SlotName(r.Slot), errForeign)
		}
		return l.written(metadata)
	}
	return errors.Join(fmt.Errorf("%s could not be written", record.SlotName(r.Slot)), last)
}

// readGeneration reads a generation for its digest, "" if it is of another form
// or deleted.
func (l *location) readGeneration(ctx context.Context, slot int64) (string, Metadata, error) {
	o, metadata, err := l.config.Store.Read(ctx, record.GenerationPath(slot))
	if err != nil || metadata.Deleted {
		return "", metadata, err
	}
	g, err := record.ParseGeneration(o)
	if err != nil || g.Slot != slot {
		return "", metadata, nil
	}
	return g.Digest(), metadata, nil
}

func (l *location) written(metadata Metadata) error {
	r := l.state.Rotation
	return l.keep(func(s *state) {
		s.Rotation.Phase = phaseWritten
		s.Generations[record.SlotName(r.Slot)] = generation{r.Digest, r.SHA256, metadata.Version, metadata.Created}
	}, Event{eventtype.RotationGenerationWritten, r.TransactionID, seal.Object{
		"slot": record.SlotName(r.Slot), "certificate_sha256": r.SHA256,
	}})
}

// verify reads a generation and compares it with the written one.
func (l *location) verify(ctx context.Context, slot int64) error {
	digest, metadata, err := l.readGeneration(ctx, slot)
	known := l.state.Generations[record.SlotName(slot)]
	switch {
	case errors.Is(err, ErrAbsent):
		return fmt.Errorf("%s: %w: %w", record.SlotName(slot), errForeign, err)
	case err != nil:
		return err
	case digest != known.Digest || metadata.Version != known.Version:
		return fmt.Errorf("%s: %w", record.SlotName(slot), errForeign)
	}
	return nil
}
