package secretstore

import (
	"context"
	"crypto"
	"errors"
	"fmt"

	"github.com/svc-edge/svc-verify/harness/eventtype"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/secretstore/record"
)

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

// verify reads a generation and compares it with what was written.
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
