package sealkey

import (
	"encoding/json"

	"github.com/svc-edge/svc-verify/internal/form"
	"github.com/svc-edge/svc-verify/internal/ijson"
)

// Signer is the member `signer` of each statement: the digests of both public keys,
// under the names of their algorithms.
type Signer struct {
	Ed25519 string `json:"ed25519"`
	MLDSA65 string `json:"ml_dsa_65"`
}

// Signer returns what a statement that the key is to sign says of it.
func (k *Key) Signer() Signer {
	id := k.Public().ID()
	return Signer{id.Ed25519.String(), id.MLDSA65.String()}
}

// Envelope is a statement with both signatures (SPEC 16.3), not verified.
type Envelope struct {
	Statement  *ijson.Value // nil if the document has none
	Signer     ID           // that its member signer names
	Signatures Signatures
	Pointer    string // the place of the envelope in its document
}

// Wrap signs a statement for a protocol, and returns the canonical document of the
// envelope. The statement is marshalled as JSON; its member signer must be
// [Key.Signer], and its member protocol the protocol.
func (k *Key) Wrap(protocol string, statement any) ([]byte, error) {
	payload, err := form.MarshalCanonical(statement)
	if err != nil {
		return nil, err
	}
	s, err := k.Sign(protocol, payload)
	if err != nil {
		return nil, err
	}
	return form.MarshalCanonical(map[string]any{
		"signatures": map[string]string{"ed25519": form.EncodeBase64URL(s.Ed25519),
			"ml_dsa_65": form.EncodeBase64URL(s.MLDSA65)},
		"statement": json.RawMessage(payload),
	})
}

// ReadEnvelope reads an envelope. The caller reads the statement, with its members
// protocol and signer, in the same reader.
func ReadEnvelope(r *form.Reader, v *ijson.Value) Envelope {
	o := r.Object(v, "signatures", "statement")
	s := o.Object("signatures", "ed25519", "ml_dsa_65")
	e := Envelope{
		Statement: o.Get("statement"),
		Signatures: Signatures{
			Ed25519: s.Bytes("ed25519", Ed25519SignatureSize, Ed25519SignatureSize),
			MLDSA65: s.Bytes("ml_dsa_65", MLDSASignatureSize, MLDSASignatureSize),
		},
	}
	if v != nil {
		e.Pointer = v.Pointer()
	}
	if e.Statement == nil {
		return e
	}
	if signer, ok := e.Statement.Member("signer"); ok {
		o := r.Object(signer, "ed25519", "ml_dsa_65")
		e.Signer = ID{o.SHA512("ed25519"), o.SHA512("ml_dsa_65")}
	}
	return e
}
