package trust

import (
	"crypto/ed25519"
	"crypto/sha256"
	"strconv"

	"github.com/svc-edge/svc-verify/finding"
	"github.com/svc-edge/svc-verify/internal/safetext"
)

// Signatory names the required signer of a statement: the role and, for a node's statement,
// the node.
type Signatory struct {
	Role Role
	Node string
}

// Statement is the content of an envelope. Its protocol and content alone
// decide who must sign it (SPEC 3.3).
type Statement interface{ Signatory() Signatory }

// Envelope is the envelope of a signed statement (SPEC 3.1). Payload is the
// argument of [PAE]: the canonical statement or, for an audit event, the 32
// bytes of its hash. Pointer is the place of the envelope in its document.
type Envelope struct {
	Protocol  string
	Payload   []byte
	KeyID     string
	Signature []byte
	Pointer   string
}

// Sealed is a statement whose signature is not verified.
type Sealed[T Statement] struct {
	Envelope
	statement T
	digest    [sha256.Size]byte
}

// Seal pairs an envelope with the statement that was read from its payload.
func Seal[T Statement](e Envelope, statement T) Sealed[T] {
	return Sealed[T]{e, statement, sha256.Sum256(e.Payload)}
}

// Digest returns the SHA-256 of the payload. For a statement it is the statement's digest,
// which does not cover the signature (SPEC 3.2).
func (s Sealed[T]) Digest() [sha256.Size]byte { return s.digest }

// Unverified returns the statement without verifying its signature.
func (s Sealed[T]) Unverified() T { return s.statement }

// Opened is a statement that a pinned key of its role signed.
type Opened[T Statement] struct {
	Statement T
	Key       Key
	Digest    [sha256.Size]byte
	Pointer   string
}

// Open verifies the signature of a statement (SPEC 3.3): the key id names a
// pinned key of the statement's role, for a node's statement a key of that
// node, and the signature verifies with it. No other key is tried. The finding
// is nil if the envelope opens, and about the member that is wrong if not.
func Open[T Statement](r *Root, s Sealed[T]) (Opened[T], *finding.InDocument) {
	key, refusal := r.openEnvelope(s.Envelope, s.statement.Signatory())
	if refusal != nil {
		return Opened[T]{}, refusal
	}
	return Opened[T]{s.statement, key, s.Digest(), s.Pointer}, nil
}

// Presume opens a statement without its key, as if the key id that it names were pinned and
// its signature held. It serves to find other faults in evidence whose key is unknown, and
// proves nothing. It reports false if no trust file could pin the id for this statement.
func Presume[T Statement](s Sealed[T]) (Opened[T], bool) {
	by := s.statement.Signatory()
	node, ok := nodeOfKey(by.Role, s.KeyID)
	if !ok || node != by.Node {
		return Opened[T]{}, false
	}
	key := Key{ID: s.KeyID, Role: by.Role, Node: node, Public: sha256.Sum256([]byte(s.KeyID))}
	return Opened[T]{s.statement, key, s.Digest(), s.Pointer}, true
}

func (r *Root) openEnvelope(e Envelope, by Signatory) (Key, *finding.InDocument) {
	key, ok := r.Key(by.Role, e.KeyID)
	if !ok {
		return refuseUse(KeyUnknown, e.Pointer+"/key_id", "a pinned "+string(by.Role)+" key", r.describeKey(e.KeyID))
	}
	if key.Node != by.Node {
		return refuseUse(KeyOfOtherNode, e.Pointer+"/key_id", "a key of node "+by.Node, "a key of node "+key.Node)
	}
	if !r.verify(key.Public, PAE(e.Protocol, e.Payload), e.Signature) {
		return refuseUse(SignatureInvalid, e.Pointer+"/signature",
			"a signature of "+string(by.Role)+" key "+key.ID+" for "+e.Protocol, "one that does not verify")
	}
	return key, nil
}

func refuseUse(code finding.Code, path, expected, found string) (Key, *finding.InDocument) {
	return Key{}, &finding.InDocument{Code: code, Path: path, Expected: expected, Found: found}
}

// isSignedBy reports whether the key signed the message (SPEC 1.8). The rules are the same as
// in crypto/ed25519: no cofactor, S reduced, R compared as bytes, and a signature of 64 bytes.
func (k PublicKey) isSignedBy(message, signature []byte) bool {
	return ed25519.Verify(k[:], message, signature)
}

// describeKey returns a key id that is not pinned for the wanted role, with its other role in
// the trust file, if any.
func (r *Root) describeKey(id string) string {
	if role, ok := r.roleOf(id); ok {
		return safetext.Excerpt(id, safetext.Value) + ", which is pinned as a " + string(role) + " key only"
	}
	return safetext.Excerpt(id, safetext.Value) + ", which is not in the trust file"
}

// PAE returns the bytes that are signed: DSSE's pre-authentication encoding
// (SPEC 3.2). It makes a signature for one protocol worthless for another.
func PAE(protocol string, payload []byte) []byte {
	b := make([]byte, 0, len("DSSEv1")+len(protocol)+len(payload)+24)
	b = append(b, "DSSEv1 "...)
	b = strconv.AppendInt(b, int64(len(protocol)), 10)
	b = append(b, ' ')
	b = append(b, protocol...)
	b = append(b, ' ')
	b = strconv.AppendInt(b, int64(len(payload)), 10)
	b = append(b, ' ')
	return append(b, payload...)
}
