package timestamp

import (
	"testing"

	"golang.org/x/crypto/cryptobyte"
	asn1tag "golang.org/x/crypto/cryptobyte/asn1"

	"github.com/svc-edge/svc-verify/internal/check"
)

// TestPSS: parameters of PSS count with one hash for both uses, a salt of its length, and nothing more.
func TestPSS(t *testing.T) {
	explicit := func(tag asn1tag.Tag, add func(*cryptobyte.Builder)) func(*cryptobyte.Builder) {
		return func(b *cryptobyte.Builder) { b.AddASN1(tag, add) }
	}
	hash := func(h Hash) func(*cryptobyte.Builder) {
		return func(b *cryptobyte.Builder) {
			b.AddASN1(asn1tag.SEQUENCE, func(b *cryptobyte.Builder) { b.AddASN1ObjectIdentifier(h.oid()) })
		}
	}
	mask := func(h Hash) func(*cryptobyte.Builder) {
		return func(b *cryptobyte.Builder) {
			b.AddASN1(asn1tag.SEQUENCE, func(b *cryptobyte.Builder) {
				b.AddASN1ObjectIdentifier(rsaOID(8))
				hash(h)(b)
			})
		}
	}
	number := func(n int64) func(*cryptobyte.Builder) { return func(b *cryptobyte.Builder) { b.AddASN1Int64(n) } }
	of, by, salt := explicit(inner0, hash(SHA256)), explicit(inner1, mask(SHA256)), explicit(inner2, number(32))
	for name, c := range map[string]struct {
		parts []func(*cryptobyte.Builder)
		ok    bool
	}{
		"as they are":      {[]func(*cryptobyte.Builder){of, by, salt}, true},
		"with the trailer": {[]func(*cryptobyte.Builder){of, by, salt, explicit(inner3, number(1))}, true},
		"another trailer":  {[]func(*cryptobyte.Builder){of, by, salt, explicit(inner3, number(2))}, false},
		"no hash":          {[]func(*cryptobyte.Builder){by, salt}, false},
		"no mask":          {[]func(*cryptobyte.Builder){of, salt}, false},
		"no salt":          {[]func(*cryptobyte.Builder){of, by}, false},
		"another mask":     {[]func(*cryptobyte.Builder){of, explicit(inner1, mask(SHA512)), salt}, false},
		"a short salt":     {[]func(*cryptobyte.Builder){of, by, explicit(inner2, number(20))}, false},
		"more":             {[]func(*cryptobyte.Builder){of, by, salt, number(1)}, false},
		"another order":    {[]func(*cryptobyte.Builder){by, of, salt}, false},
	} {
		var b cryptobyte.Builder
		b.AddASN1(asn1tag.SEQUENCE, func(b *cryptobyte.Builder) {
			for _, part := range c.parts {
				part(b)
			}
		})
		s, ok := pssOf(b.BytesOrPanic())
		check.That(t, ok == c.ok && (!ok || s == scheme{kind: pss, hash: SHA256}), "%s: %v, %t", name, s, ok)
	}
}
