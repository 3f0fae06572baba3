package eddsa

import (
	"crypto/ed25519"

	"filippo.io/edwards25519"
)

// Weakness returns why a key must not be relied on, "" if it may be: it is not the
// canonical encoding of a point on the curve, or the point is of small order,
// so that anyone can make signatures for it that hold for any message.
func Weakness(key [ed25519.PublicKeySize]byte) string {
	point, err := new(edwards25519.Point).SetBytes(key[:])
	if err != nil {
		return "not a point on the curve"
	}
	if [ed25519.PublicKeySize]byte(point.Bytes()) != key {
		return "not the canonical encoding of its point"
	}
	if new(edwards25519.Point).MultByCofactor(point).Equal(edwards25519.NewIdentityPoint()) == 1 {
		return "of small order: anyone can sign for it"
	}
	return ""
}
