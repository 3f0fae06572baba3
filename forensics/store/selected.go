package store

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"time"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
	"github.com/svc-edge/svc-verify/forensics/store/block"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Filter selects events; the zero value selects all.
type Filter struct {
	TenantID, LogID string // "" for any
	Type            string // "*" in it is for any characters
	TransactionID   string
	First, Last     uint64    // sequences, both included; Last 0 for no end
	From, To        time.Time // when it occurred, From included and To not; zero for no bound
	Content         string    // text that the data, the type or the transaction id contains
	Where           Predicate // nil for any
}

// Predicate reports whether an event is wanted. Several goroutines may ask at once. Candidate is
// valid during the call.
type Predicate interface {
	Matches(Candidate) bool
}

// Candidate is a copy of an event that a [Predicate] judges.
type Candidate struct {
	Log           facts.Log
	Sequence      uint64
	OccurredAt    int64 // milliseconds since 1970
	Type, KeyID   string
	TransactionID []byte
	Data          []byte // canonical JSON
}

// ByContent reports whether the filter asks for more than a log, a range and a time.
func (f Filter) ByContent() bool {
	return f.Type != "" || f.TransactionID != "" || f.Content != "" || f.Where != nil
}

// Bounds returns the range of sequences that the filter selects.
func (f Filter) Bounds() (first, last uint64) {
	if f.Last == 0 {
		return f.First, math.MaxInt64
	}
	return f.First, f.Last
}

// Wants reports whether the filter selects events of a log.
func (f Filter) Wants(log facts.Log) bool {
	return (f.TenantID == "" || f.TenantID == log.TenantID) && (f.LogID == "" || f.LogID == log.LogID)
}

// During reports whether the filter selects a time, in milliseconds since 1970.
func (f Filter) During(at int64) bool {
	return (f.From.IsZero() || at >= f.From.UnixMilli()) && (f.To.IsZero() || at < f.To.UnixMilli())
}

// Selected is one copy of an event that a [Filter] selects, and its log.
type Selected struct {
	Log facts.Log
	facts.Event
	Found facts.Place // the first of its deliveries; zero in a case
	Kept  KeptCopy
}

// Header is an event without its body.
type Header struct {
	Log        facts.Log
	Sequence   uint64
	OccurredAt int64 // milliseconds since 1970
	Type       string
}

// KeptCopy is the facts that a store keeps of a copy besides the event.
type KeptCopy struct {
	Size   int64    // bytes of the body
	Body   []byte   // the parts of the body
	Digest [16]byte // the first bytes of [facts.Event.Digest]
}

// Sizes are the smallest and the largest body of a range of events, in bytes.
type Sizes struct{ Smallest, Largest int64 }

// Batched is one arrival of an event under batch ids.
type Batched struct {
	Sequence uint64
	Hash     [32]byte // as it is written in the event
	Batches  []facts.BatchID
}

// BatchShare is the part of a batch that one source delivered of one log.
type BatchShare struct {
	ID              string
	TenantID, LogID string
	Source          int64
	Deliveries      int64
	First, Last     uint64 // the lowest and the highest sequence
}

// Line returns the canonical line of a copy that was selected, without line feed. It belongs
// to the copy, whatever else the store holds.
func (q *Queries) Line(_ context.Context, s *Selected) ([]byte, error) {
	body, _, err := s.readBody()
	if err != nil {
		return nil, err
	}
	return evidence.LineOf(&event.Line{Body: body, Link: s.Link, Recorded: s.Recorded, KeyID: []byte(s.KeyID),
		Signature: s.Signature}), nil
}

// Data returns the data of a copy that was selected: canonical JSON, as in [Queries.Line].
func (q *Queries) Data(s *Selected) ([]byte, error) {
	_, data, err := s.readBody()
	return data, err
}

// readBody returns the body of the copy, and the data in it, if they match the copy.
func (s *Selected) readBody() (body, data []byte, err error) {
	k, err := readKept(s.Kept.Body, 0)
	if err != nil {
		return nil, nil, err
	}
	if body, data, err = k.body(s.Log, &part.Copy{Header: s.Header, Size: s.Kept.Size}); err != nil {
		return nil, nil, err
	}
	link := s.Link
	link.Body = chain.Hash(sha256.Sum256(body))
	digest := facts.CopyDigest(s.Recorded, link, &s.Signature, s.KeyID)
	if [block.DigestSize]byte(digest[:]) != s.Kept.Digest {
		return nil, nil, fmt.Errorf("event %d of %s: the store keeps the body of another event", s.Link.Sequence,
			safetext.Quote(s.Log.LogID))
	}
	return body, data, nil
}
