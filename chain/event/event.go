// Package event reads one event of an audit log (SPEC 4.2). An event is a line of
// a journal, the body of an exported log record, or a disclosed event of a
// bundle.
//
//	{
//	  "body": { "data": { … }, "log_id", "occurred_at", "protocol", "salt",
//	            "sequence", "tenant_id", "transaction_id" (optional), "type" },
//	  "hash", "key_id", "previous_hash", "signature", "skip_hash"
//	}
//
// There are two readers of one format. [Read] reads a parsed value and reports every fault
// with its place. [Scan] reads canonical bytes in one pass, for journals of millions of lines;
// for a line that it refuses, Read reports why. Tests check that the two always agree.
package event

import (
	"crypto/sha256"
	"time"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
)

// Protocol is the type under which an event's hash is signed (SPEC 3.3).
const Protocol = "svc.audit-event.v1"

// SaltSize and SignatureSize are the sizes of an event's bytes (SPEC 1.5).
const (
	SaltSize      = 16
	SignatureSize = 64
)

// Event is an event that is read but not verified. Link has the recorded links,
// and the digest of the body in the event. Link.Hash() is the computed hash of
// the event, Recorded the one that is written in it.
type Event struct {
	TenantID      string
	LogID         string
	Type          string
	TransactionID string // "" if the event is about no transaction
	KeyID         string
	OccurredAt    time.Time
	Link          chain.Link
	Recorded      chain.Hash
	Signature     []byte
	Data          *ijson.Value
}

// Header is an event without its body: the part of every copy that a case keeps in an index,
// and all that a walk over its log needs. Its link has the digest of the body that is there.
// It may carry a judgement.
type Header struct {
	chain.Event
	Judgement
	KeyID      string
	Signature  [SignatureSize]byte
	Type       string
	OccurredAt int64 // milliseconds since 1970, UTC
}

// Read reads an event from a parsed value and adds its faults to r. If there is
// none, every field is set.
func Read(r *form.Reader, v *ijson.Value) Event {
	if v != nil && len(v.Canonical()) > form.MaxEvent {
		r.Fault(v, form.TooLarge, "an event of at most 1 MiB", "a larger one")
	}
	o := r.Object(v, "body", "previous_hash", "skip_hash", "hash", "key_id", "signature")
	e := readBody(r, o.Get("body"))
	e.Link.Previous, e.Link.Skip = o.Digest("previous_hash"), o.Digest("skip_hash")
	e.Recorded = o.Digest("hash")
	e.KeyID = o.Identifier("key_id")
	e.Signature = o.Bytes("signature", SignatureSize, SignatureSize)
	return e
}

func readBody(r *form.Reader, v *ijson.Value) Event {
	o := r.Object(v, "protocol", "tenant_id", "log_id", "sequence", "occurred_at", "type", "transaction_id?",
		"salt", "data")
	o.Protocol(Protocol)
	o.Bytes("salt", SaltSize, SaltSize)
	e := Event{
		TenantID:   o.Subject("tenant_id"),
		LogID:      o.LogID("log_id"),
		Type:       o.Identifier("type"),
		OccurredAt: o.Time("occurred_at"),
		Data:       o.Get("data"),
	}
	if o.Has("transaction_id") {
		e.TransactionID = o.Subject("transaction_id")
	}
	e.Link.Sequence = uint64(o.Counter("sequence"))
	if v != nil {
		e.Link.Body = sha256.Sum256(v.Canonical())
	}
	readData(r, e)
	return e
}
