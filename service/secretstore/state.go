package secretstore

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/service/form"
	"github.com/svc-edge/svc-verify/service/nodeconfig"
	"github.com/svc-edge/svc-verify/service/secretstore/record"
)

// Phases of a rotation. After a crash, a pointer that is being moved is in doubt, and so is
// every phase from promoting to reverting.
const (
	phaseWriting   = "writing"   // its slot was chosen
	phaseWritten   = "written"   // its generation is in the store
	phaseStaged    = "staged"    // the pointer names it as standby
	phasePromoting = "promoting" // the write-ahead record: the pointer may name it as active
	phaseMoved     = "moved"     // the pointer names it, and nothing has confirmed it
	phaseRestoring = "restoring" // the pointer is being put back
	phaseReverting = "reverting" // it is back, the workload is notified
	phasePromoted  = "promoted"
	phaseFailed    = "failed"
)

// state is all that the adapter knows of a location, as it is kept.
type state struct {
	IntegrationID string                `json:"integration_id"` // the one with authority over it, "" for none
	NextSlot      int64                 `json:"next_slot"`
	Stamp         string                `json:"stamp"` // the newest updated_at of a pointer
	Pointer       placedPointer         `json:"pointer,omitzero"`
	Generations   map[string]generation `json:"generations"`        // by the name of the slot
	ReleaseAt     string                `json:"release_at"`         // of the previous slot, "" if there is none
	Move          *move                 `json:"move,omitempty"`     // a write of the pointer that may not have happened
	Rotation      *rotation             `json:"rotation,omitempty"` // the newest
}

// placedPointer is the pointer as this node wrote it last.
type placedPointer struct {
	Record  record.Pointer `json:"record"`
	Version int64          `json:"version"` // 0 if there is none yet
	Created string         `json:"created"`
}

// generation is the node's record of a generation that it wrote.
type generation struct {
	Digest  string `json:"digest"`             // of the whole record
	SHA256  string `json:"certificate_sha256"` // of its certificates
	Version int64  `json:"version"`
	Created string `json:"created"`
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
	Purpose string         `json:"purpose"`
	To      record.Pointer `json:"to"`
	CAS     int64          `json:"cas"`
}

// rotation is a generation on its way to be in use. The bootstrap's rotation has no
// transaction.
type rotation struct {
	TransactionID string         `json:"transaction_id"`
	Revision      int64          `json:"revision"` // of the integration
	Slot          int64          `json:"slot"`
	CreatedAt     string         `json:"created_at"`
	Digest        string         `json:"digest"`
	SHA256        string         `json:"certificate_sha256"`
	Phase         string         `json:"phase"`
	Code          string         `json:"error_code"`      // why it failed
	Before        record.Pointer `json:"before,omitzero"` // of its last move, as of the next
	Target        record.Pointer `json:"target,omitzero"`
	Moved         bool           `json:"moved"` // a promotion began, and the workload may have to be notified
}

// firstState is the state of a location that nothing was written to.
func firstState() state { return state{NextSlot: 1, Generations: map[string]generation{}} }

// namedBy are the generations that a pointer names.
func namedBy(p record.Pointer) []record.Named {
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
	keep := namedBy(s.Pointer.Record)
	if r := s.Rotation; r != nil {
		keep = append(append(keep, record.Named{Slot: r.Slot}), append(namedBy(r.Before), namedBy(r.Target)...)...)
	}
	maps.DeleteFunc(s.Generations, func(name string, _ generation) bool {
		return !slices.ContainsFunc(keep, func(n record.Named) bool { return record.SlotName(n.Slot) == name })
	})
}

// next returns an updated_at that no pointer of this node has had.
func (s *state) next(now time.Time) string {
	if last, err := seal.ParseTime(s.Stamp); err == nil && !now.After(last) {
		now = last.Add(time.Millisecond)
	}
	s.Stamp = seal.Time(now)
	return s.Stamp
}

// Location returns the id of a node's state for the place where its settings let it write: a
// digest of address, namespace, mount and base path.
func Location(s *nodeconfig.SecretStore) string {
	return seal.Digest(seal.Object{"address": s.Address, "namespace": s.Namespace, "mount": s.Mount,
		"base_path": s.BasePath})
}

// restoreState reads a state that was kept.
func restoreState(o seal.Object) (state, error) {
	s := firstState()
	if o == nil {
		return s, nil
	}
	s.NextSlot = 0
	if err := form.Restore(o, &s); err != nil {
		return s, err
	}
	if s.NextSlot < 1 || s.NextSlot > record.MaxSlot+1 {
		return s, fmt.Errorf("next_slot: expected 1 to %d, found %d", record.MaxSlot+1, s.NextSlot)
	}
	for name := range s.Generations {
		if _, err := record.ParseSlotName(name); err != nil {
			return s, fmt.Errorf("generations: %w", err)
		}
	}
	return s, nil
}
