package facts

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/finding"
)

// Event is one copy of an event, with its judgement if it was judged. Two copies of a
// sequence that differ in any byte are two events. Members that a store does not have, or
// was not asked for, are zero.
type Event struct {
	event.Header
	Ref           Ref
	TransactionID string // "" if the event is about no transaction
	Deliveries    int64  // how many times this very copy was delivered
	Variant       int    // 0 for the first copy of its sequence by Digest, then 1, 2 …
	Copies        int    // how many copies its sequence has
	Fidelity      Fidelity
}

// Faithful reports whether some transport kept all of the event, in whatever spelling.
func (e *Event) Faithful() bool { return e.Fidelity != Lossy }

// Digest distinguishes the copies of one sequence, and orders them. It is
// SHA-256 over recorded hash, previous hash, skip hash, body digest, signature
// and key id: all that an event is made of. A judged event need not have all of it.
func (e *Event) Digest() chain.Hash {
	return CopyDigest(e.Recorded, e.Link, &e.Signature, e.KeyID)
}

// Batch summarises the events that arrived under one batch id (SPEC 9.2).
type Batch struct {
	ID          string
	Events      int64 // copies of events that were delivered under it
	Deliveries  int64 // arrivals of them under it
	Redelivered int64 // copies that arrived under it more than once
	Differing   int64 // copies of a sequence, if another copy arrived under it
	Stretches   int64 // runs without gap, of one log: a batch is one
	Genuine     int64 // events of the run whose hashes give this very id; 0 if there is none

	// Of the first log that has events under it: the lowest and the highest of
	// their sequences.
	TenantID, LogID string
	First, Last     uint64
}

// Batches writes the batch ids of a record as the case keeps them: a JSON array
// of "where:id", ascending and without repeats; "" if there are none.
func Batches(ids []BatchID) string {
	if len(ids) == 0 {
		return ""
	}
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = id.Where + ":" + id.ID
	}
	slices.Sort(texts)
	b, err := json.Marshal(slices.Compact(texts))
	if err != nil {
		panic(err) // strings always marshal
	}
	return string(b)
}

// ParseBatches reads what [Batches] writes.
func ParseBatches(text string) ([]BatchID, error) {
	if text == "" {
		return nil, nil
	}
	var texts []string
	if err := json.Unmarshal([]byte(text), &texts); err != nil {
		return nil, fmt.Errorf("the batch ids of an event: %w", err)
	}
	ids := make([]BatchID, len(texts))
	for i, t := range texts {
		ids[i].Where, ids[i].ID, _ = strings.Cut(t, ":")
	}
	return ids, nil
}

// Conflicting reports whether the id was used for more than one content. A batch
// with missing events does not conflict.
func (b *Batch) Conflicting() bool { return b.Differing > 0 || b.Genuine > 0 && b.Events > b.Genuine }

// CopyDigest is [Event.Digest] of the members that the digest is made of.
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

// Ref names a copy of an event within one store. The zero value names none.
type Ref struct {
	Log      int32 // its number in the store, from 1
	Variant  int32 // as in the event
	Sequence uint64
}

// IsZero reports whether a reference names no copy.
func (r Ref) IsZero() bool { return r == Ref{} }

// Fidelity is how exactly an event's bytes reached a store.
type Fidelity uint8

// The classes of fidelity, from the best to the worst.
const (
	Exact           Fidelity = iota + 1 // the very bytes of the journal line
	Unquoted                            // a string that a store had quoted, unquoted once
	Recanonicalised                     // a structure that had lost its canonical form, put together again
	Lossy                               // the same, and the store does not keep all that the hash needs
)

// Skip is a span that could not be read as evidence. One row can stand for very
// many small spans: its place begins with the first, and ends with the last in the
// same container.
type Skip struct {
	Place
	Code    string
	Detail  string
	Excerpt []byte // the first bytes, at most [ExcerptSize]
	Spans   int64  // how many it counts for: itself, and others of its kind behind it
	Through int64  // the number of the last of them among the records and skips of the source
}

// Hides reports whether an event can be in the span. The others are notes on data
// that was read all the same, or never hold a record.
func (s *Skip) Hides() bool {
	entry := finding.Code(s.Code).Entry()
	return entry.Hides == finding.HidesRest || entry.Hides == finding.HidesSpan && s.Length > 0
}

// ExcerptSize bounds the excerpt of a span that could not be read.
const ExcerptSize = 512

// Unread is a path that was given and could not be read.
type Unread struct {
	Path   string `json:"path"`
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

// Document is a bundle or another signed document in the evidence. Evidence that does
// not hold its bytes has its testimony in their place.
type Document struct {
	SHA256 chain.Hash // of Bytes
	Kind   string
	Bytes  []byte
	Walk   []byte // for a walk, by [Testimony.Documents]; nil where Bytes is there
	Cross  []byte // for a comparison; nil where Bytes is there
	Places []Place
}

// Place is a place in the evidence: the source, the path through its archives, and
// a range of that decompressed stream.
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

// BatchID is a batch id and the place where it was written: in the record, its
// resource or scope, a Kafka header or an HTTP header.
type BatchID struct{ Where, ID string }

// Source is one file or stream, identified by its content.
type Source struct {
	Number   int64
	Paths    []string // as it was given, ascending
	Size     int64
	SHA256   chain.Hash // if not Complete, of the part that was read
	Complete bool       // ingested to its end
	Format   string     // of the source itself; several are separated by ", "
	Records  int64      // deliveries of events, documents, and skips
	Events   int64      // of these, deliveries of events
	Skipped  int64      // of these, skips
}
