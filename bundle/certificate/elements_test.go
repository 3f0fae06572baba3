package certificate

import (
	"bytes"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/asn1"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/crypto/cryptobyte"
	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"

	"github.com/svc-edge/svc-verify/internal/check"
	"github.com/svc-edge/svc-verify/internal/must"
)

// TestEveryElement: no element of a certificate has another tag, is empty or has an element
// more, unless it is opaque: within names, parameters of algorithms and unknown extensions.
func TestEveryElement(t *testing.T) {
	opaque := regexp.MustCompile(`^/0/0/(([35]|7/0/3/1)( empty| more|/.*)|6/0/1 .*|7/0/4/1/0( more|/.*)|7/0/2/2/0 empty)$`)
	eachEdit(t, made(t, ecdsaKey(t, elliptic.P256()), nil), "", func(edit string, der []byte) {
		accepted := check.Err(Parse(der)) == nil
		check.That(t, accepted == opaque.MatchString(edit), "%s: accepted %t", edit, accepted)
	})
}

// TestKeyOfRSA: an RSAPublicKey is two positive numbers and no more, and an issuer's has bounds.
func TestKeyOfRSA(t *testing.T) {
	for _, tt := range []struct {
		top, low, exponent int64
		read, strong       bool
	}{
		{2047, 1, 65537, true, true},
		{2046, 1, 65537, true, false},
		{16383, 1, 3, true, true},
		{16384, 1, 3, true, false},
		{2047, 0, 65537, true, false},
		{2047, 1, 2, true, false},
		{2047, 1, 1, true, false},
		{2047, 1, 1<<31 - 1, true, true},
		{2047, 1, 1 << 31, false, false},
		{2047, 1, 0, false, false},
		{2047, -1, 3, false, false},
	} {
		n := new(big.Int).SetBit(big.NewInt(tt.low), int(tt.top), 1)
		der := must.Get(asn1.Marshal(rsa.PublicKey{N: n, E: int(tt.exponent)}))(t)
		c := &Certificate{KeyInfo: keyInfo(der)}
		check.That(t, (rsaKey(der) != nil) == tt.read && c.Strong() == tt.strong, "%+v: strong %t", tt, c.Strong())
		check.Equal(t, c.Algorithm() != "", tt.strong && tt.top == 2047 && tt.exponent == 65537, "%+v: terms name it", tt)
		eachEdit(t, der, "", func(edit string, der []byte) {
			check.That(t, rsaKey(der) == nil, "%s: it is a key", edit)
		})
	}
}

// keyInfo is the SubjectPublicKeyInfo of an RSAPublicKey.
func keyInfo(key []byte) []byte {
	var b cryptobyte.Builder
	b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddBytes([]byte(encodeIdentifier(oidRSA, null)))
		b.AddASN1BitString(key)
	})
	return b.BytesOrPanic()
}

// depthOfValue is how deep the content of an extension is.
const depthOfValue = 6

// eachEdit calls try with each edit of an element in DER, and of the elements within it.
func eachEdit(t *testing.T, der []byte, place string, try func(edit string, der []byte)) {
	for i, rest := 0, der; len(rest) > 0; i++ {
		var e asn1.RawValue
		after := must.Get(asn1.Unmarshal(rest, &e))(t)
		before, at := der[:len(der)-len(rest)], fmt.Sprintf("%s/%d", place, i)
		put := func(edit string, tag int, content []byte) {
			e.FullBytes = nil
			e.Tag, e.Bytes = tag, content
			try(at+edit, slices.Concat(before, must.Get(asn1.Marshal(e))(t), after))
		}
		tag, content := e.Tag, e.Bytes
		put(" tag", tag^8, content)
		put(" empty", tag, nil)
		if inner := content; e.IsCompound || tag == asn1.TagOctetString && strings.Count(at, "/") == depthOfValue {
			put(" more", tag, append(bytes.Clone(content), 5, 0))
			eachEdit(t, inner, at, func(edit string, der []byte) { put(strings.TrimPrefix(edit, at), tag, der) })
		}
		rest = after
	}
}
