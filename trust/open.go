package trust

import (
	"crypto/ed25519"
	"crypto/sha256"
	"strconv"
)

// Signatory says who must have signed a statement: the role and, for a node's
// statement, the node that the statement names.
type Signatory struct {
	Role Role
	Node string
}

// Statement is anything that is signed. It says itself who must have signed
// it, from its protocol and content alone (SPEC 3.3).
type Statement interface{ Signatory() Signatory }

// Envelope is what stands around every signed statement (SPEC 3.1). Payload is
// the exact bytes that PAE wraps: the canonical statement or, for an audit
// event, the 32 bytes of its hash. Pointer is the envelope's place in its
// document.
type Envelope struct {
	Protocol  string
	Payload   []byte
	KeyID     string
	Signature []byte
	Pointer   string
}

// Digest returns the SHA-256 of the payload. For a statement this is its
// digest: the signature is not part of it (SPEC 3.2).
func (e Envelope) Digest() [sha256.Size]byte { return sha256.Sum256(e.Payload) }

// Sealed is a statement in its envelope that nobody has opened.
type Sealed[T Statement] struct {
	Envelope
	statement T
}

// Seal pairs an envelope with the statement that its payload was read as.
func Seal[T Statement](e Envelope, statement T) Sealed[T] { return Sealed[T]{e, statement} }

// Unverified returns the statement, whoever may have written it.
func (s Sealed[T]) Unverified() T { return s.statement }

// Opened is a statement that a pinned key of its role signed.
type Opened[T Statement] struct {
	Statement T
	Key       Key
	Digest    [sha256.Size]byte
	Pointer   string
}

// The codes of a [Refusal].
const (
	KeyUnknown       = "signature.key-unknown"
	KeyOfOtherNode   = "signature.key-of-other-node"
	SignatureInvalid = "signature.invalid"
)

// Refusal says why an envelope was not opened: a code, the pointer of the
// member concerned, what was expected and what was found.
type Refusal struct {
	Code, Pointer, Want, Got string
}

// Open verifies the signature of a sealed statement (SPEC 3.3): its key id names
// a pinned key of the statement's one role, for a node's statement a key of
// that node, and the signature holds. No other key is tried.
func Open[T Statement](r *Root, s Sealed[T]) (Opened[T], *Refusal) {
	key, refusal := r.open(s.Envelope, s.statement.Signatory())
	if refusal != nil {
		return Opened[T]{}, refusal
	}
	return Opened[T]{s.statement, key, s.Digest(), s.Pointer}, nil
}

func (r *Root) open(e Envelope, by Signatory) (Key, *Refusal) {
	key, ok := r.Key(by.Role, e.KeyID)
	if !ok {
		return Key{}, &Refusal{KeyUnknown, e.Pointer + "/key_id", "a pinned " + string(by.Role) + " key", r.describe(e.KeyID)}
	}
	if key.Node != by.Node {
		return Key{}, &Refusal{KeyOfOtherNode, e.Pointer + "/key_id",
			"a key of node " + by.Node, "a key of node " + key.Node}
	}
	if !key.Public.holds(PAE(e.Protocol, e.Payload), e.Signature) {
		return Key{}, &Refusal{SignatureInvalid, e.Pointer + "/signature",
			"a signature of " + string(by.Role) + " key " + key.ID + " for " + e.Protocol, "one that does not verify"}
	}
	return key, nil
}

// holds reports whether the signature of the message is the key's (SPEC 1.8):
// cofactorless, S reduced, R compared as bytes, which is what crypto/ed25519
// decides. A signature of any other length than 64 bytes does not hold.
func (k PublicKey) holds(message, signature []byte) bool {
	return ed25519.Verify(k[:], message, signature)
}

// describe says what the trust file knows of a key id that is not pinned for
// the role that it was wanted for.
func (r *Root) describe(id string) string {
	for _, role := range []Role{Audit, Signer, Node} {
		if _, ok := r.Key(role, id); ok {
			return strconv.QuoteToASCII(id) + ", which is pinned as a " + string(role) + " key only"
		}
	}
	return strconv.QuoteToASCII(id) + ", which is not in the trust file"
}

// PAE is DSSE's pre-authentication encoding, the bytes that are signed
// (SPEC 3.2): it makes a signature for one protocol worthless for another.
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
