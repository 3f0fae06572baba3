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
		s.move = &move{purpose: purpose, to: to, cas: s.pointer.version}
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
		m := *l.state.move
		metadata, err := l.config.Store.Write(ctx, record.PointerPath, m.cas, m.to.Object())
		if err == nil && metadata.Version == m.cas+1 {
			return l.moved(metadata)
		}
		last = errors.Join(err, ctx.Err())
		found, metadata, err := l.readPointer(ctx)
		switch {
		case err != nil:
			return errors.Join(last, err)
		case found == m.to && metadata.Version > m.cas:
			return l.moved(metadata)
		case !l.state.expects(found, metadata):
			return fmt.Errorf("the pointer at version %d: %w", metadata.Version, errForeign)
		}
		if metadata.Version != m.cas {
			if err := l.keep(func(s *state) { s.move.cas = metadata.Version }); err != nil {
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
		return s.pointer.version == 0
	case s.pointer.version > 0 && found == s.pointer.Pointer:
		return true
	}
	return s.move.purpose == moveRestore && (found == s.rotation.before || found == s.rotation.target ||
		found == s.move.to)
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
	m := *l.state.move
	var events []Event
	r := l.state.rotation
	data := seal.Object{"active": record.SlotName(m.to.Active.Slot), "active_sha256": m.to.Active.SHA256,
		"pointer_version": metadata.Version}
	switch m.purpose {
	case moveBootstrap:
		events = []Event{{eventtype.StoreBootstrapped, "", data}}
	case movePromote:
		events = []Event{{eventtype.RotationPointerMoved, r.transactionID, data}}
	case moveRelease:
		data["released"] = record.SlotName(l.state.pointer.Previous.Slot)
		events = []Event{{eventtype.RotationReleased, "", data}}
	}
	return l.keep(func(s *state) {
		s.pointer, s.move = placedPointer{m.to, metadata.Version, metadata.Created}, nil
		switch m.purpose {
		case moveBootstrap:
			s.rotation.phase = phasePromoted
		case moveStage:
			s.rotation.phase = phaseStaged
		case movePromote:
			s.rotation.phase = phaseMoved
		case moveRestore:
			s.rotation.phase = phaseReverting
		case moveRelease:
			s.releaseAt = ""
		}
		s.forget()
	}, events...)
}
