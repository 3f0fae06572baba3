package casefile

import (
	"crypto/sha256"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
)

// Arrival is an event that was delivered. Its line may not change until the
// chunk was added; there need be none in a known run.
type Arrival struct {
	Found
	Line        *event.Line
	Fidelity    Fidelity
	Batch       string // as [Batches] writes it; "" without a batch id
	ObservedAt  int64
	ByReference bool // the line stands at Found, byte for byte, and is not kept
}

// Fidelity says how exactly an event's bytes reached the case.
type Fidelity uint8

// The classes of fidelity, from the best to the worst.
const (
	Exact           Fidelity = iota + 1 // the very bytes of the journal line
	Unquoted                            // a string that a store had quoted, unquoted once
	Recanonicalised                     // a structure that had lost its canonical form, put together again
	Lossy                               // the same, and the store does not keep all that the hash needs
)

// Event is one row of the index: one copy of an event. Two copies of a sequence
// that differ in any byte are two events.
type Event struct {
	event.Header
	Ref           Ref
	TransactionID string // "" if the event is about no transaction
	Fidelity      Fidelity
	Deliveries    int64 // how many times this very copy was delivered
	Variant       int   // 0 for the first copy of its sequence by Digest, then 1, 2 …
	Copies        int   // how many copies its sequence has
}

// Digest tells the copies of one sequence apart, and orders them. It is
// SHA-256 over recorded hash, previous hash, skip hash, body digest, signature
// and key id: all that an event is made of. A judged event need not have all of it.
func (e *Event) Digest() chain.Hash {
	return CopyDigest(e.Recorded, e.Link, &e.Signature, e.KeyID)
}

// CopyDigest is [Event.Digest] of what the digest is made of.
func CopyDigest[T string | []byte](recorded chain.Hash, l chain.Link, signature *[event.SignatureSize]byte,
	keyID T) chain.Hash {
	const usual = 4*sha256.Size + event.SignatureSize + 64 // with a key id of so many bytes nothing is allocated
	b := make([]byte, 0, usual)
	b = append(b, recorded[:]...)
	b = append(b, l.Previous[:]...)
	b = append(b, l.Skip[:]...)
	b = append(b, l.Body[:]...)
	b = append(b, signature[:]...)
	b = append(b, keyID...)
	return sha256.Sum256(b)
}

// Ref names a copy of an event within one case: a row of events if positive,
// of variants if negative.
type Ref int64
