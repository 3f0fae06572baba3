package forge

import (
	"crypto"
	"crypto/ed25519"
	"crypto/sha512"
	"fmt"

	"filippo.io/edwards25519"

	"github.com/svc-edge/svc-verify/harness/chance"
	"github.com/svc-edge/svc-verify/harness/seal"
)

// Stranger is a key under any id that no trust file pins.
func Stranger(id string) seal.Key {
	return seal.Key{ID: id, Private: chance.New(99).Stream("stranger").Ed25519()}
}

// Sign signs an envelope or an event as it is now, with any key. It does not
// change the hash that an event records.
func Sign(envelope seal.Object, key seal.Key) error {
	envelope["key_id"] = key.ID
	if seal.Member(envelope, "body") == nil {
		envelope["signature"] = seal.Seal(seal.Member(envelope, "statement"), key)["signature"]
		return nil
	}
	hash, err := seal.ParseHash(seal.Text(envelope, "hash"))
	envelope["signature"] = seal.Sign(seal.EventProtocol, hash[:], key)
	return err
}

// AlteredSignature returns a copy of an envelope or event whose signature has
// one other digit.
func AlteredSignature(envelope seal.Object) seal.Object {
	changed := seal.CloneObject(envelope)
	changed["signature"] = otherDigit(seal.Text(envelope, "signature"), 40)
	return changed
}

// WrongSignatures are ways to sign a statement that a verifier must refuse.
var WrongSignatures = map[string]func(key ed25519.PrivateKey, statement seal.Object) ([]byte, error){
	// over the canonical statement, without the type that it is signed for
	"bare": func(key ed25519.PrivateKey, statement seal.Object) ([]byte, error) {
		return ed25519.Sign(key, seal.Canonical(statement)), nil
	},
	// over a statement that is not canonical
	"spaced": func(key ed25519.PrivateKey, statement seal.Object) ([]byte, error) {
		body := append([]byte(" "), seal.Canonical(statement)...)
		return ed25519.Sign(key, seal.PAE(seal.Text(statement, "protocol"), body)), nil
	},
	"ed25519ph": func(key ed25519.PrivateKey, statement seal.Object) ([]byte, error) {
		digest := sha512.Sum512(signedOctets(statement))
		return key.Sign(nil, digest[:], &ed25519.Options{Hash: crypto.SHA512})
	},
	"small-order": smallOrder,
}

// signedOctets returns the bytes that a signature of a statement covers, SPEC 3.2.
func signedOctets(statement seal.Object) []byte {
	return seal.PAE(seal.Text(statement, "protocol"), seal.Canonical(statement))
}

// smallOrder makes R the identity, and S such that the equation holds when it
// is multiplied by the cofactor and R is not compared as bytes.
func smallOrder(key ed25519.PrivateKey, statement seal.Object) ([]byte, error) {
	r := make([]byte, 32)
	r[0], r[31] = 1, 0x80 // the identity with the sign bit set
	public := key.Public().(ed25519.PublicKey)
	wide := sha512.Sum512(append(append(append([]byte{}, r...), public...), signedOctets(statement)...))
	k, err := edwards25519.NewScalar().SetUniformBytes(wide[:])
	if err != nil {
		return nil, err
	}
	expanded := sha512.Sum512(key.Seed())
	secret, err := edwards25519.NewScalar().SetBytesWithClamping(expanded[:32])
	if err != nil {
		return nil, err
	}
	return append(r, edwards25519.NewScalar().Multiply(k, secret).Bytes()...), nil
}

// groupOrder is the order of the group of Ed25519, little-endian.
var groupOrder = []byte{
	0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
}

// AddGroupOrder adds the group order to S of a signature in base64url. Anyone
// can do it.
func AddGroupOrder(text string) (string, error) {
	signature, err := seal.Unbase64(text)
	if err != nil || len(signature) != ed25519.SignatureSize {
		return "", fmt.Errorf("expected a signature of 64 octets, found %q", text)
	}
	carry := 0
	for i, b := range groupOrder {
		carry += int(signature[32+i]) + int(b)
		signature[32+i], carry = byte(carry), carry>>8
	}
	return seal.Base64(signature), nil
}
