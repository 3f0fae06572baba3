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
	slot, createdAt := l.state.nextSlot, seal.Time(l.config.Now())
	g, err := record.NewGeneration(slot, p.chain, p.key, createdAt)
	if err != nil {
		return err
	}
	return l.keep(func(s *state) {
		s.nextSlot++
		s.rotation = &rotation{
			transactionID: p.transactionID, revision: p.revision, slot: slot, createdAt: createdAt,
			digest: g.Digest(), sha256: g.CertificateSHA256, phase: phaseWriting,
		}
		s.forget()
	}, Event{event, p.transactionID, seal.Object{"slot": record.SlotName(slot),
		"certificate_sha256": g.CertificateSHA256}})
}

// write writes the generation of the rotation, which was chosen for this pair,
// and never over another. A generation that is there already is taken for this
// one if it is the same to the last byte.
func (l *location) write(ctx context.Context, p pair) error {
	r := *l.state.rotation
	g, err := record.NewGeneration(r.slot, p.chain, p.key, r.createdAt)
	if err != nil {
		return err
	}
	var last error
	for range attempts {
		metadata, err := l.config.Store.Write(ctx, record.GenerationPath(r.slot), 0, g.Object())
		if err == nil && metadata.Version == 1 {
			return l.written(metadata)
		}
		last = errors.Join(err, ctx.Err())
		digest, metadata, err := l.readGeneration(ctx, r.slot)
		switch {
		case errors.Is(err, ErrAbsent):
			continue
		case err != nil:
			return errors.Join(last, err)
		case digest != r.digest || metadata.Version != 1:
			return fmt.Errorf("%s: %w", record.SlotName(r.slot), errForeign)
		}
		return l.written(metadata)
	}
	return errors.Join(fmt.Errorf("%s could not be written", record.SlotName(r.slot)), last)
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
	r := l.state.rotation
	return l.keep(func(s *state) {
		s.rotation.phase = phaseWritten
		s.generations[r.slot] = generation{r.digest, r.sha256, metadata.Version, metadata.Created}
	}, Event{eventtype.RotationGenerationWritten, r.transactionID, seal.Object{
		"slot": record.SlotName(r.slot), "certificate_sha256": r.sha256,
	}})
}

// verify reads a generation and compares it with what was written.
func (l *location) verify(ctx context.Context, slot int64) error {
	digest, metadata, err := l.readGeneration(ctx, slot)
	known := l.state.generations[slot]
	switch {
	case errors.Is(err, ErrAbsent):
		return fmt.Errorf("%s: %w: %w", record.SlotName(slot), errForeign, err)
	case err != nil:
		return err
	case digest != known.digest || metadata.Version != known.version:
		return fmt.Errorf("%s: %w", record.SlotName(slot), errForeign)
	}
	return nil
}
