package bundle

import (
	"crypto/ed25519"

	"github.com/svc-edge/svc-verify/chain"
	"github.com/svc-edge/svc-verify/chain/event"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/trust"
)

// reading reads one kind of statement, and returns its protocol too.
type reading[T trust.Statement] func(reader, *ijson.Value) (protocol string, statement T)

// readSealed reads an envelope (SPEC 3.1) with the statement in it.
func readSealed[T trust.Statement](r reader, v *ijson.Value, statement reading[T]) trust.Sealed[T] {
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

func sealedList[T trust.Statement](r reader, list []*ijson.Value, statement reading[T]) []trust.Sealed[T] {
	var all []trust.Sealed[T]
	for _, v := range list {
		all = append(all, readSealed(r, v, statement))
	}
	return all
}

// readPath reads the audit path (SPEC 6.1).
func (r reader) readPath(o form.Object) []PathLink {
	var links []PathLink
	for _, v := range o.List("links", 1, form.MaxPathLinks) {
		l := PathLink{Pointer: v.Pointer()}
		if _, disclosed := v.Member("event"); disclosed {
			e := r.readEvent(r.Object(v, "event").Get("event"))
			l.Event, l.Link = &e, e.Unverified().Link
		} else {
			l.Link = r.readLink(v)
		}
		links = append(links, l)
	}
	return links
}

func (r reader) readLink(v *ijson.Value) chain.Link {
	return ReadLink(r.Object(v, "sequence", "previous_hash", "skip_hash", "body_sha256"))
}

// ReadLink reads the members of a link (SPEC 6.1) from an object that may have others.
func ReadLink(o form.Object) chain.Link {
	return chain.Link{
		Sequence: uint64(o.Counter("sequence")),
		Previous: o.Digest("previous_hash"),
		Skip:     o.Digest("skip_hash"),
		Body:     o.Digest("body_sha256"),
	}
}

// readEvent reads a disclosed event (SPEC 4.2). The signature covers the computed
// hash of its link.
func (r reader) readEvent(v *ijson.Value) trust.Sealed[Event] {
	e := Event{Event: event.Read(r.Reader, v)}
	if e.Data != nil {
		e.Manifest = digestMember(e.Data, "manifest_sha256")
		e.RevocationReceipt = digestMember(e.Data, "revocation_receipt_sha256")
	}
	e.Data = nil // it would keep the whole document
	hash := e.Link.Hash()
	envelope := trust.Envelope{Protocol: event.Protocol, Payload: hash[:], KeyID: e.KeyID, Signature: e.Signature}
	if v != nil {
		envelope.Pointer = v.Pointer()
	}
	return trust.Seal(envelope, e)
}

// digestMember returns a digest from the data of an event, or the zero digest if
// events of its type have no such member. Its form was checked with the event.
func digestMember(data *ijson.Value, name string) Hash {
	v, ok := data.Member(name)
	if !ok {
		return Hash{}
	}
	d, _ := form.Digest(v.Text())
	return d
}
