// Package tsatest is a time-stamping authority for tests: certificates, tokens, CRLs and OCSP
// answers, right ones and any wrong one. Anything that cannot be made is a fault of the test,
// and panics.
package tsatest

import (
	"encoding/asn1"

	"golang.org/x/crypto/cryptobyte"
	asn1tag "golang.org/x/crypto/cryptobyte/asn1"

	"github.com/svc-edge/svc-verify/internal/must"
)

// Element returns an element with a tag around some bytes.
func Element(tag asn1tag.Tag, content ...[]byte) []byte {
	var b cryptobyte.Builder
	b.AddASN1(tag, func(b *cryptobyte.Builder) {
		for _, c := range content {
			b.AddBytes(c)
		}
	})
	return b.BytesOrPanic()
}

// The tags that the structures use.
const (
	Sequence    = asn1tag.SEQUENCE
	Set         = asn1tag.SET
	Octets      = asn1tag.OCTET_STRING
	Inner0      = asn1tag.Tag(0xa0)
	Inner1      = asn1tag.Tag(0xa1)
	Inner2      = asn1tag.Tag(0xa2)
	Context0    = asn1tag.Tag(0x80)
	Context1    = asn1tag.Tag(0x81)
	Generalized = asn1tag.GeneralizedTime
)

// OID returns an OBJECT IDENTIFIER.
func OID(oid ...int) []byte { return must.Have(asn1.Marshal(asn1.ObjectIdentifier(oid))) }

// Integer returns an INTEGER.
func Integer(n int64) []byte { return must.Have(asn1.Marshal(n)) }

// Bits returns a BIT STRING of whole bytes.
func Bits(octets []byte) []byte { return Element(asn1tag.BIT_STRING, []byte{0}, octets) }

// Null is NULL.
var Null = []byte{5, 0}
