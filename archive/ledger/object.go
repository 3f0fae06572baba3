package ledger

import (
	"crypto/sha256"

	"github.com/svc-edge/svc-verify/archive/object"
	"github.com/svc-edge/svc-verify/archive/run"
)

// Object is one object of the archive as the ledger has it.
type Object struct {
	Path   string // relative to the archive, with slashes; any bytes but NUL
	Size   int64
	SHA256 [sha256.Size]byte
	// Modified is the file's time, in nanoseconds since 1970. It distinguishes suspected bit
	// rot from an edit, and decides nothing else.
	Modified int64

	AddedIn int64 // the run that read it first
	ReadIn  int64 // the run that read these bytes last
	ReadAt  int64 // when, in milliseconds since 1970

	Judgement  object.Judgement
	Context    object.Context // of Judgement; zero if it cannot be used again
	VerifiedIn int64          // the run that verified these bytes in this context
	VerifiedAt int64          // when, in milliseconds since 1970

	// Wrong is a fault of the object that was not accepted: unreadable, missing, altered or
	// replaced; "" if there is none. Size, SHA256, Modified and Judgement are then still those
	// from before.
	Wrong string
	Found Found // for altered and replaced
	// Lost is set if these bytes, or earlier bytes that they continue, were verified once and
	// no longer are.
	Lost bool
	// Accepted reports that its owner accepted it as it is: an unverified object is then still
	// counted as such, but does not fail a run.
	Accepted bool
}

// Found describes the file in the place of an object.
type Found struct {
	Size      int64
	SHA256    [sha256.Size]byte
	Modified  int64
	ReadIn    int64 // the run that read these bytes last
	ReadAt    int64
	Judgement object.Judgement
}

// HasOther reports whether something else is in the place of the object.
func (o *Object) HasOther() bool { return o.Wrong == Altered || o.Wrong == Replaced }

// Present returns the content that was read last: the object's, or the content in its place.
func (o *Object) Present() Found {
	if o.HasOther() {
		return o.Found
	}
	return Found{o.Size, o.SHA256, o.Modified, o.ReadIn, o.ReadAt, o.Judgement}
}

// The faults of an object.
const (
	Unreadable = "unreadable"
	Missing    = "missing"
	Altered    = "altered"
	Replaced   = "replaced"
)

// PathOf returns the path of an object.
func PathOf(o *Object) string { return o.Path }

// Committed returns the part of the object that the record of a run commits to.
func (o *Object) Committed() run.Object {
	return run.Object{Path: o.Path, Size: o.Size, SHA256: o.SHA256, Verdict: o.Judgement.Verdict,
		Read: o.ReadAt, Verified: o.VerifiedAt, Wrong: o.Wrong}
}

// State returns the object's state as a change records it.
func (o *Object) State() *run.State {
	return &run.State{Size: o.Size, SHA256: o.SHA256, Verdict: o.Judgement.Verdict,
		Code: string(o.Judgement.Code), Wrong: o.Wrong}
}
