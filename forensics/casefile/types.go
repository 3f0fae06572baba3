package casefile

import (
	"crypto/sha256"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
)

// Log is one audit log of which the case holds events.
type Log struct {
	Number   int64 // within this case only
	TenantID string
	LogID    string
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
// and key id: all that an event is made of.
func (e *Event) Digest() chain.Hash {
	return digest(e.Recorded, e.Link, &e.Signature, e.KeyID)
}

func digest[T string | []byte](recorded chain.Hash, l chain.Link, signature *[event.SignatureSize]byte, keyID T) chain.Hash {
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

// Place is where something stands in the evidence: the source, the way through
// the archives in it, and the bytes of that container's decompressed stream.
type Place struct {
	Source    int64
	Container string // "" for the source itself
	Offset    int64
	Length    int64
	Record    int64 // its number among the records and skips of the source, from 0
}

// Delivery is one arrival of a copy of an event.
type Delivery struct {
	Place
	Batches    []BatchID
	ObservedAt int64 // nanoseconds since 1970 by the clock of a collector; 0 if unknown
}

// BatchID is a batch id and where on the way it was written: in the record, its
// resource or scope, a Kafka or an HTTP header.
type BatchID struct{ Where, ID string }

// Source is one file or stream, known by its content.
type Source struct {
	Number   int64
	Paths    []string // as it was given, ascending
	Size     int64
	SHA256   chain.Hash // if not Complete, of what was read so far
	Complete bool       // ingested to its end
	Format   string     // of the source itself; several are separated by ", "
	Records  int64      // deliveries of events, documents, and skips
	Events   int64      // of these, deliveries of events
	Skipped  int64      // of these, skips
}

// Skip is a span that could not be read as evidence. Where there are very many
// small ones, it stands for more than itself; its place is that of the first, and
// reaches to the last that is in the same container.
type Skip struct {
	Place
	Code    string
	Detail  string
	Excerpt []byte // the first bytes, at most [ExcerptSize]
	Spans   int64  // how many it stands for: itself, and others of its kind behind it
	Through int64  // the number of the last of them among the records and skips of the source
}

// ExcerptSize bounds what is kept of a span that could not be read: enough for
// a person to see what it was.
const ExcerptSize = 512

// Unread is a path that was given and could not be read at all.
type Unread struct{ Path, Code, Detail string }

// Document is a bundle or another signed document that was found among the evidence.
type Document struct {
	SHA256 chain.Hash // of Bytes
	Kind   string
	Bytes  []byte
	Places []Place
}
