package edge

import (
	"bytes"
	"crypto/ed25519"
	"fmt"

	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
	"github.com/svc-edge/svc-verify/trust"
)

// protocol is what the signature of a trust event is bound to.
const protocol = "svc.trust-event.v1"

// event is a trust event in its envelope (SPEC 3.1 and 10), not verified.
type event struct {
	tenant, node, topic string
	sequence            int64
	keyID               string
	signature           []byte
	statement           []byte // canonical
	envelope            []byte // canonical
	data                *ijson.Value
}

// readEvent reads an event and records faults of its form.
func readEvent(r *form.Reader, v *ijson.Value) event {
	o := r.Object(v, "statement", "key_id", "signature")
	e := event{envelope: v.Canonical(), keyID: o.Identifier("key_id"),
		signature: o.Bytes("signature", ed25519.SignatureSize, ed25519.SignatureSize)}
	s := o.Get("statement")
	if s == nil {
		return e
	}
	e.statement = s.Canonical()
	if len(e.statement) > form.MaxEvent {
		r.Fault(s, form.TooLarge, "an event of at most 1 MiB", "a larger one")
	}
	f := r.Object(s, "protocol", "tenant_id", "node_id", "sequence", "topic", "occurred_at", "data")
	f.Protocol(protocol)
	f.Time("occurred_at")
	e.tenant, e.node, e.topic, e.sequence = f.Subject("tenant_id"), f.Subject("node_id"), f.Identifier("topic"),
		f.Counter("sequence")
	if e.data = f.Get("data"); e.data != nil && (e.data.Kind() != ijson.Object || e.data.Depth() > form.MaxDataDepth) {
		r.Fault(e.data, form.BadValue, "an object of at most 16 levels", "another value")
	}
	return e
}

// signedBy reports whether the signature of the event is the key's (SPEC 1.8).
func (e event) signedBy(key trust.PublicKey) bool {
	return ed25519.Verify(key[:], trust.PAE(protocol, e.statement), e.signature)
}

// successor reads which key an event identity.rotated names: its id and the key.
func (e event) successor() (id string, key trust.PublicKey, err error) {
	var text string
	for name, to := range map[string]*string{"key_id": &id, "public_key": &text} {
		if v, ok := e.data.Member(name); ok {
			*to = v.Text()
		}
	}
	raw, ok := form.Base64URL(text)
	if !ok || len(raw) != len(key) || !form.Identifier(id) {
		return "", key, fmt.Errorf("expected key_id and public_key in the data, found none of that form")
	}
	return id, trust.PublicKey(raw), nil
}

// line returns the event as a line of output.
func (e event) line() []byte { return append(bytes.Clone(e.envelope), '\n') }
