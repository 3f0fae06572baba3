package secretstore

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/nodeconfig"
	"github.com/svc-edge/svc-verify/service/secretstore/record"
)

// Phases of a rotation. What is in doubt after a crash is a pointer that is being
// moved, and every phase from promoting to reverting.
const (
	phaseWriting   = "writing"   // its slot was chosen
	phaseWritten   = "written"   // its generation is in the store
	phaseStaged    = "staged"    // the pointer names it as standby
	phasePromoting = "promoting" // the write-ahead record: the pointer may name it as active
	phaseMoved     = "moved"     // the pointer names it, and nothing has confirmed it
	phaseRestoring = "restoring" // the pointer is being put back
	phaseReverting = "reverting" // it is back, the workload is told
	phasePromoted  = "promoted"
	phaseFailed    = "failed"
)

// state is all that the adapter knows of a location.
type state struct {
	integrationID string // who has authority over it, "" for none
	nextSlot      int64
	stamp         string // the newest updated_at of a pointer
	pointer       placedPointer
	generations   map[int64]generation // by slot
	releaseAt     string               // when the previous slot is let go, "" if there is none
	move          *move                // a write of the pointer that may or may not have happened
	rotation      *rotation            // the newest
}

// placedPointer is the pointer as this node wrote it last.
type placedPointer struct {
	record.Pointer
	version int64 // 0 if there is none yet
	created string
}

// generation is what the node knows of a generation that it wrote.
type generation struct {
	digest  string // of the whole record
	sha256  string // of its certificates
	version int64
	created string
}

// Purposes of a move.
const (
	moveBootstrap = "bootstrap"
	moveStage     = "stage"
	movePromote   = "promote"
	moveRestore   = "restore"
	moveRelease   = "release"
)

// move is a check-and-set of the pointer.
type move struct {
	purpose string
	to      record.Pointer
	cas     int64
}

// rotation is a generation on its way to be in use. That of the bootstrap has no
// transaction.
type rotation struct {
	transactionID  string
	revision       int64 // of the integration
	slot           int64
	createdAt      string
	digest, sha256 string
	phase          string
	code           string         // why it failed
	before, target record.Pointer // of its last move
	moved          bool           // a promotion began, so that the workload may have to be told
}

// first is the state of a location that nothing was written to.
func first() state { return state{nextSlot: 1, generations: map[int64]generation{}} }

func (s state) clone() state {
	s.generations = maps.Clone(s.generations)
	if s.move != nil {
		m := *s.move
		s.move = &m
	}
	if s.rotation != nil {
		r := *s.rotation
		s.rotation = &r
	}
	return s
}

// named are the generations that a pointer names.
func named(p record.Pointer) []record.Named {
	var all []record.Named
	for _, n := range []record.Named{p.Active, p.Standby, p.Previous} {
		if n.Slot != 0 {
			all = append(all, n)
		}
	}
	return all
}

// forget drops every generation that no pointer of the node names any more.
func (s *state) forget() {
	keep := named(s.pointer.Pointer)
	if r := s.rotation; r != nil {
		keep = append(append(keep, record.Named{Slot: r.slot}), append(named(r.before), named(r.target)...)...)
	}
	maps.DeleteFunc(s.generations, func(slot int64, _ generation) bool {
		return !slices.ContainsFunc(keep, func(n record.Named) bool { return n.Slot == slot })
	})
}

// next returns an updated_at that no pointer of this node has had.
func (s *state) next(now time.Time) string {
	if last, err := seal.ParseTime(s.stamp); err == nil && !now.After(last) {
		now = last.Add(time.Millisecond)
	}
	s.stamp = seal.Time(now)
	return s.stamp
}

// Location is the id of what a node keeps of the place where its settings let
// it write: a digest of address, namespace, mount and base path.
func Location(s *nodeconfig.SecretStore) string {
	return seal.Digest(seal.Object{"address": s.Address, "namespace": s.Namespace, "mount": s.Mount,
		"base_path": s.BasePath})
}

func (s state) document() seal.Object {
	o := seal.Object{
		"integration_id": s.integrationID, "next_slot": s.nextSlot, "stamp": s.stamp, "release_at": s.releaseAt,
		"generations": seal.Object{},
	}
	if s.pointer.version > 0 {
		o["pointer"] = seal.Object{"record": s.pointer.Object(), "version": s.pointer.version,
			"created": s.pointer.created}
	}
	for slot, g := range s.generations {
		seal.Member(o, "generations")[record.SlotName(slot)] = seal.Object{
			"digest": g.digest, "certificate_sha256": g.sha256, "version": g.version, "created": g.created,
		}
	}
	if m := s.move; m != nil {
		o["move"] = seal.Object{"purpose": m.purpose, "to": m.to.Object(), "cas": m.cas}
	}
	if r := s.rotation; r != nil {
		o["rotation"] = r.document()
	}
	return o
}

func (r *rotation) document() seal.Object {
	o := seal.Object{
		"transaction_id": r.transactionID, "revision": r.revision, "slot": r.slot, "created_at": r.createdAt,
		"digest": r.digest, "certificate_sha256": r.sha256, "phase": r.phase, "error_code": r.code, "moved": r.moved,
	}
	for name, p := range map[string]record.Pointer{"before": r.before, "target": r.target} {
		if p.Active.Slot != 0 {
			o[name] = p.Object()
		}
	}
	return o
}

// restore reads a state that was kept.
func restore(o seal.Object) (state, error) {
	s := first()
	if o == nil {
		return s, nil
	}
	s.integrationID, s.nextSlot = seal.Text(o, "integration_id"), seal.Integer(o, "next_slot")
	s.stamp, s.releaseAt = seal.Text(o, "stamp"), seal.Text(o, "release_at")
	if s.nextSlot < 1 || s.nextSlot > record.MaxSlot+1 {
		return s, fmt.Errorf("next_slot: expected 1 to %d, found %d", record.MaxSlot+1, s.nextSlot)
	}
	var err error
	if p := seal.Member(o, "pointer"); p != nil {
		s.pointer.version, s.pointer.created = seal.Integer(p, "version"), seal.Text(p, "created")
		if s.pointer.Pointer, err = record.ParsePointer(seal.Member(p, "record")); err != nil {
			return s, fmt.Errorf("pointer: %w", err)
		}
	}
	for name := range seal.Member(o, "generations") {
		slot, err := record.ParseSlotName(name)
		if err != nil {
			return s, fmt.Errorf("generations: %w", err)
		}
		g := seal.Member(seal.Member(o, "generations"), name)
		s.generations[slot] = generation{
			digest: seal.Text(g, "digest"), sha256: seal.Text(g, "certificate_sha256"),
			version: seal.Integer(g, "version"), created: seal.Text(g, "created"),
		}
	}
	if m := seal.Member(o, "move"); m != nil {
		s.move = &move{purpose: seal.Text(m, "purpose"), cas: seal.Integer(m, "cas")}
		if s.move.to, err = record.ParsePointer(seal.Member(m, "to")); err != nil {
			return s, fmt.Errorf("move: %w", err)
		}
	}
	s.rotation, err = restoreRotation(seal.Member(o, "rotation"))
	return s, err
}

func restoreRotation(o seal.Object) (*rotation, error) {
	if o == nil {
		return nil, nil
	}
	moved, _ := o["moved"].(bool)
	r := &rotation{
		transactionID: seal.Text(o, "transaction_id"), revision: seal.Integer(o, "revision"),
		slot:      seal.Integer(o, "slot"),
		createdAt: seal.Text(o, "created_at"), digest: seal.Text(o, "digest"),
		sha256: seal.Text(o, "certificate_sha256"),
		phase:  seal.Text(o, "phase"), code: seal.Text(o, "error_code"), moved: moved,
	}
	for name, p := range map[string]*record.Pointer{"before": &r.before, "target": &r.target} {
		if member := seal.Member(o, name); member != nil {
			var err error
			if *p, err = record.ParsePointer(member); err != nil {
				return nil, fmt.Errorf("rotation: %s: %w", name, err)
			}
		}
	}
	return r, nil
}
