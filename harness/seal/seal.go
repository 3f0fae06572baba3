package seal

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// Key is an Ed25519 private key under the id by which the trust file knows it.
type Key struct {
	ID      string
	Private ed25519.PrivateKey
}

// Public returns the public half of the key.
func (k Key) Public() ed25519.PublicKey {
	return k.Private.Public().(ed25519.PublicKey)
}

// PAE is the pre-authentication encoding of DSSE, SPEC 3.2: the bytes that a
// signature of this type covers.
func PAE(payloadType string, body []byte) []byte {
	return fmt.Appendf(nil, "DSSEv1 %d %s %d %s", len(payloadType), payloadType, len(body), body)
}

// Seal puts a statement in a signed envelope, SPEC 3.1. The statement's protocol
// is the type that is signed.
func Seal(statement Object, key Key) Object {
	return Object{
		"statement": statement,
		"key_id":    key.ID,
		"signature": Sign(Text(statement, "protocol"), Canonical(statement), key),
	}
}

// Sign signs PAE(payloadType, body) and returns the signature as base64url, or an empty one if
// the key has no private half.
func Sign(payloadType string, body []byte, key Key) string {
	if key.Private == nil {
		return ""
	}
	return Base64(ed25519.Sign(key.Private, PAE(payloadType, body)))
}

// Signed reports whether the signature, in base64url, is the key's over
// PAE(payloadType, body).
func Signed(payloadType string, body []byte, public ed25519.PublicKey, signature string) bool {
	raw, err := Unbase64(signature)
	return err == nil && len(public) == ed25519.PublicKeySize &&
		ed25519.Verify(public, PAE(payloadType, body), raw)
}

// Digest returns the SHA-256 of a document's canonical form, in hex.
func Digest(document any) string {
	return SHA256(Canonical(document))
}

// StatementDigest returns the digest of an envelope's statement: the name by
// which other statements refer to it. The signature is not part of it.
func StatementDigest(envelope Object) string {
	return Digest(Member(envelope, "statement"))
}

// StatementDigests returns the digests of the statements of envelopes, in their order.
func StatementDigests(envelopes []Object) []string {
	list := make([]string, len(envelopes))
	for i, envelope := range envelopes {
		list[i] = StatementDigest(envelope)
	}
	return list
}

// SignedFor reports whether one of the envelopes speaks for a node.
func SignedFor(nodeID string, envelopes []Object) bool {
	return slices.ContainsFunc(envelopes, func(envelope Object) bool { return NodeOf(envelope) == nodeID })
}

// NodeOf returns the node that an envelope's statement names.
func NodeOf(envelope Object) string { return Text(Member(envelope, "statement"), "node_id") }

// PublicKeys returns keys by their ids, as a trust file has them, SPEC 2.1.
func PublicKeys(keys map[string]ed25519.PublicKey) Object {
	section := Object{}
	for id, key := range keys {
		section[id] = Base64(key)
	}
	return section
}

// RegistryPins returns the pins of registries by their generations, as a trust file has
// them, SPEC 2.1.
func RegistryPins(registries []Object) Object {
	pins := Object{}
	for _, registry := range registries {
		sum := sha256.Sum256(Canonical(registry))
		pins[strconv.FormatInt(Integer(registry, "generation"), 10)] = Base64(sum[:])
	}
	return pins
}

// Must returns the value of a step that cannot fail in evidence that the harness makes by
// itself: an error is a mistake of the harness.
func Must[T any](value T, err error) T {
	Do(err)
	return value
}

// Do is [Must] for steps without a value.
func Do(steps ...error) {
	if err := errors.Join(steps...); err != nil {
		panic(err)
	}
}

// SHA256 returns the SHA-256 of bytes, in hex.
func SHA256(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Base64 writes bytes as base64url without padding.
func Base64(b []byte) string {
	return base64.RawURLEncoding.EncodeToString(b)
}

// Unbase64 reads base64url without padding.
func Unbase64(s string) ([]byte, error) {
	return base64.RawURLEncoding.Strict().DecodeString(s)
}
