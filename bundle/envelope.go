package bundle

import (
	"crypto/ed25519"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/internal/limits"
	"github.com/svc-edge/svc-verify/trust"
)

// sealed reads an envelope (SPEC 3.1) and, with the given function, the
// statement in it. The function also says which protocol it read.
func sealed[T trust.Statement](r reader, v *ijson.Value, statement func(reader, *ijson.Value) (string, T)) trust.Sealed[T] {
	o := r.Object(v, "statement", "key_id", "signature")
	e := trust.Envelope{
		KeyID:     o.Identifier("key_id"),
		Signature: o.Bytes("signature", ed25519.SignatureSize, ed25519.SignatureSize),
	}
	if v != nil {
		e.Pointer = v.Pointer()
	}
	s := o.Get("statement")
	if s != nil {
		e.Payload = s.Canonical()
	}
	protocol, t := statement(r, s)
	e.Protocol = protocol
	return trust.Seal(e, t)
}

func sealedList[T trust.Statement](r reader, list []*ijson.Value, statement func(reader, *ijson.Value) (string, T)) []trust.Sealed[T] {
	var all []trust.Sealed[T]
	for _, v := range list {
		all = append(all, sealed(r, v, statement))
	}
	return all
}

// path reads the audit path (SPEC 6.1).
func (r reader) path(o form.Object) []PathLink {
	var links []PathLink
	for _, v := range o.List("links", 1, limits.PathLinks) {
		l := PathLink{Pointer: v.Pointer()}
		if _, disclosed := v.Member("event"); disclosed {
			e := r.event(r.Object(v, "event").Get("event"))
			l.Event, l.Link = &e, e.Unverified().Link
		} else {
			l.Link = r.link(v)
		}
		links = append(links, l)
	}
	return links
}

func (r reader) link(v *ijson.Value) chain.Link {
	o := r.Object(v, "sequence", "previous_hash", "skip_hash", "body_sha256")
	return chain.Link{
		Sequence: uint64(o.Counter("sequence")),
		Previous: o.Digest("previous_hash"),
		Skip:     o.Digest("skip_hash"),
		Body:     o.Digest("body_sha256"),
	}
}

// event reads a disclosed event (SPEC 4.2). What is signed is the hash that
// its link computes to.
func (r reader) event(v *ijson.Value) trust.Sealed[Event] {
	if v != nil && len(v.Canonical()) > limits.Event {
		r.Fault(v, form.TooLarge, "an event of at most 1 MiB", "a larger one")
	}
	o := r.Object(v, "body", "previous_hash", "skip_hash", "hash", "key_id", "signature")
	e := r.eventBody(o.Get("body"))
	e.Recorded = o.Digest("hash")
	e.Link.Sequence = e.Sequence
	e.Link.Previous, e.Link.Skip = o.Digest("previous_hash"), o.Digest("skip_hash")
	hash := e.Link.Hash()
	envelope := trust.Envelope{
		Protocol:  ProtocolEvent,
		Payload:   hash[:],
		KeyID:     o.Identifier("key_id"),
		Signature: o.Bytes("signature", ed25519.SignatureSize, ed25519.SignatureSize),
	}
	if v != nil {
		envelope.Pointer = v.Pointer()
	}
	return trust.Seal(envelope, e)
}

// eventBody reads the body of one of the two event types that a bundle may
// disclose. Any other type's data is open, and the check of disclosed events
// refuses it.
func (r reader) eventBody(v *ijson.Value) Event {
	o := r.Object(v, "protocol", "tenant_id", "log_id", "sequence", "occurred_at", "type", "transaction_id?", "salt", "data")
	o.Protocol(ProtocolEvent)
	o.Bytes("salt", 16, 16)
	e := Event{
		TenantID:   o.Subject("tenant_id"),
		LogID:      logID(o),
		Sequence:   uint64(o.Counter("sequence")),
		OccurredAt: o.Time("occurred_at"),
		Type:       o.Identifier("type"),
	}
	if o.Has("transaction_id") {
		e.TransactionID = o.Subject("transaction_id")
	}
	switch e.Type {
	case IssuanceCompleted:
		e.Manifest = o.Object("data", "manifest_sha256").Digest("manifest_sha256")
	case CertificateRevoked:
		data := o.Object("data", "manifest_sha256", "revocation_receipt_sha256")
		e.Manifest, e.RevocationReceipt = data.Digest("manifest_sha256"), data.Digest("revocation_receipt_sha256")
	default:
		r.openData(o.Get("data"))
	}
	if v != nil {
		e.Link.Body = Hash(sha256Sum(v.Canonical()))
	}
	return e
}

// openData checks the two rules that even open data has (SPEC 4.2).
func (r reader) openData(v *ijson.Value) {
	switch {
	case v == nil:
	case v.Kind() != ijson.Object:
		r.Fault(v, form.WrongType, ijson.Object.String(), v.Kind().String())
	case v.Depth() > limits.DataDepth:
		r.Fault(v, form.TooDeep, "data of at most 16 levels", "deeper nesting")
	}
}
