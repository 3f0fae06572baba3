// Package sealed reads the signed statements that stand alone among the evidence
// (SPEC 3.1). Nothing in them is verified here.
package sealed

import (
	"crypto/ed25519"

	"github.com/svc-edge/svc-verify/bundle"
	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/trust"
)

// Protocol returns the protocol of a document or, if it is an envelope, that
// of its statement.
func Protocol(v *ijson.Value) (protocol string, enveloped bool) {
	if v.Kind() != ijson.Object {
		return "", false
	}
	if s, ok := v.Member("statement"); ok && s.Kind() == ijson.Object {
		v, enveloped = s, true
	}
	if p, ok := v.Member("protocol"); ok && p.Kind() == ijson.String {
		protocol = p.Text()
	}
	return protocol, enveloped
}

// Envelope reads what stands around a statement, and returns it with the
// statement (SPEC 3.1).
func Envelope(r *form.Reader, v *ijson.Value) (trust.Envelope, *ijson.Value) {
	o := r.Object(v, "statement", "key_id", "signature")
	s := o.Get("statement")
	protocol, _ := Protocol(v)
	return trust.Envelope{Protocol: protocol, Payload: s.Canonical(), KeyID: o.Identifier("key_id"),
		Signature: o.Bytes("signature", ed25519.SignatureSize, ed25519.SignatureSize)}, s
}

// IsCheckpoint reports whether a document is a checkpoint, by its protocol.
func IsCheckpoint(v *ijson.Value) bool {
	protocol, enveloped := Protocol(v)
	return enveloped && (protocol == bundle.ProtocolCheckpoint || protocol == bundle.ProtocolCheckpointV0)
}

// Checkpoint reads a checkpoint that stands alone (SPEC 5.1). The fault is the
// first one, nil if there is none.
func Checkpoint(v *ijson.Value) (sealed trust.Sealed[bundle.Checkpoint], fault *ijson.Fault) {
	var r form.Reader
	e, s := Envelope(&r, v)
	names := []string{"protocol", "tenant_id", "log_id", "sequence", "head_hash", "created_at"}
	if e.Protocol == bundle.ProtocolCheckpoint {
		names = append(names, "required_witnesses")
	}
	o := r.Object(s, names...)
	c := bundle.Checkpoint{Protocol: e.Protocol, TenantID: o.Subject("tenant_id"), LogID: o.LogID("log_id"),
		Sequence: uint64(o.Counter("sequence")), Head: o.Digest("head_hash"), CreatedAt: o.Time("created_at")}
	if e.Protocol == bundle.ProtocolCheckpoint {
		c.RequiredWitnesses = o.Counter("required_witnesses")
	}
	if faults := r.Faults(); len(faults) > 0 {
		return sealed, &faults[0]
	}
	return trust.Seal(e, c), nil
}
