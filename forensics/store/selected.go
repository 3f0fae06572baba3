package store

import (
	"math"
	"time"

	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
)

// Filter selects events; the zero value selects all.
type Filter struct {
	TenantID, LogID string // "" for any
	Type            string
	TransactionID   string
	First, Last     uint64    // sequences, both included; Last 0 for no end
	From, To        time.Time // when it occurred, From included and To not; zero for no bound
}

// Bounds returns the range of sequences that the filter selects.
func (f Filter) Bounds() (first, last uint64) {
	if f.Last == 0 {
		return f.First, math.MaxInt64
	}
	return f.First, f.Last
}

// Wants reports whether the filter selects events of a log.
func (f Filter) Wants(log evidence.Log) bool {
	return (f.TenantID == "" || f.TenantID == log.TenantID) && (f.LogID == "" || f.LogID == log.LogID)
}

// During reports whether the filter selects a time, in milliseconds since 1970.
func (f Filter) During(at int64) bool {
	return (f.From.IsZero() || at >= f.From.UnixMilli()) && (f.To.IsZero() || at < f.To.UnixMilli())
}

// Selected is one copy of an event that a [Filter] selects, and its log.
type Selected struct {
	Log evidence.Log
	facts.Event
	Found facts.Place // the first of its deliveries; zero in a case
	Kept  KeptCopy
}

// KeptCopy is what a store keeps of a copy beside the event.
type KeptCopy struct {
	Size   int64    // octets of the body
	Body   []byte   // what the body is made of
	Digest [16]byte // the first octets of [facts.Event.Digest]
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
