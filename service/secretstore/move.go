package secretstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/svc-edge/svc-verify/harness/eventtype"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/secretstore/record"
)

// How often a write with an unknown outcome is tried in one go. More
// may be needed later, at the next check.
const attempts = 3

// errForeign is returned where the store holds what this node did not write.
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
		m := *l.state.Move
		metadata, err := l.config.Store.Write(ctx, record.PointerPath, m.CAS, m.To.Object())
		if err == nil && metadata.Version == m.CAS+1 {
			return l.moved(metadata)
		}
		last = errors.Join(err, ctx.Err())
		found, metadata, err := l.readPointer(ctx)
		switch {
		case err != nil:
			return errors.Join(last, err)
		case found == m.To && metadata.Version > m.CAS:
			return l.moved(metadata)
		case !l.state.expects(found, metadata):
			return fmt.Errorf("the pointer at version %d: %w", metadata.Version, errForeign)
		}
		if metadata.Version != m.CAS {
			if err := l.keep(func(s *state) { s.Move.CAS = metadata.Version }); err != nil {
				return err
			}
		}
	}
	return errors.Join(errors.New("the pointer could not be moved"), last)
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

// moved records that the move was carried out, and what follows from it.
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
